import { useLocation, useRoute } from 'preact-iso'
import type { Machine, MachineWithDefinition } from '../../api/ops-calls.ts'
import { saveFile } from '../../dashboard/shell/download.ts'
import { useAddressQuery } from '../../dashboard/shell/filters.tsx'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Facts, Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { labelLines } from './chart.ts'
import { charts } from './charts.ts'
import { stayingEvents } from './definition.ts'
import { MachineChart, staysText } from './machine-chart.tsx'

const windows = ['1h', '24h', '7d', '30d'] as const

/** Every kind of actor: its machine with the figures of now and of the chosen time. */
export const MachinesPage = () => {
  const { machines: texts, nav } = useOpsTexts()
  const { formats } = useReader()
  const { kind: asked } = useRoute().params
  const { route } = useLocation()
  const { get } = useAddressQuery()
  const window = windows.find(each => each === get('window')) ?? '24h'
  const list = useOpsQuery(['machines', window], (call, signal) => call('listMachines', { window }, signal)).value
  return (
    <>
      <PageHead
        title={nav.machines}
        lead={list.data && texts.lead(formats.count(sumOf(list.data.data)))}
        actions={<WindowChoice />}
      />
      <Result result={list} skeleton={<SkeletonRows rows={10} />}>
        {({ data }) => {
          const kind = data.find(each => each.kind === asked)?.kind ?? 'payment'
          return (
            <div class="machines">
              <Tabs
                label={nav.machines}
                tabs={data.map(each => ({ key: each.kind, label: texts.kinds[each.kind], count: countOf(each) }))}
                selected={kind}
                onSelect={each => route(`/ops/machines/${each}?window=${window}`)}
              >
                <OneMachine key={kind} kind={kind} window={window} />
              </Tabs>
            </div>
          )
        }}
      </Result>
    </>
  )
}

const countOf = ({ states }: Pick<Machine, 'states'>): number => states.reduce((sum, { count }) => sum + count, 0)
const sumOf = (machines: readonly Machine[]): number => machines.reduce((sum, machine) => sum + countOf(machine), 0)

const WindowChoice = () => {
  const { machines: texts } = useOpsTexts()
  const { get, filter } = useAddressQuery()
  const chosen = get('window') ?? '24h'
  return (
    <fieldset class="segments">
      <legend class="sr">{texts.window}</legend>
      {windows.map(each => (
        <label key={each}>
          <input type="radio" name="window" checked={each === chosen} onChange={() => filter({ window: each })} />
          {texts.windows[each]}
        </label>
      ))}
    </fieldset>
  )
}

type OneMachineProps = { readonly kind: Machine['kind']; readonly window: (typeof windows)[number] }

const OneMachine = ({ kind, window }: OneMachineProps) => {
  const { get, filter } = useAddressQuery()
  const result = useOpsQuery(['machine', kind, window], (call, signal) =>
    call('getMachine', { kind, window }, signal),
  ).value
  const chart = charts[kind]
  return (
    <Result result={result} skeleton={<SkeletonRows rows={10} />}>
      {machine => {
        const selected = machine.states.find(({ state }) => state === get('state')) ?? machine.states[0]
        return (
          <>
            <div class="machine">
              {chart && (
                <MachineChart
                  chart={chart}
                  machine={machine}
                  selected={selected?.state}
                  stayingCount={state => stayingEvents(machine.definition, state).length}
                  onSelect={state => filter({ state })}
                />
              )}
              {selected && <StatePanel machine={machine} state={selected} />}
            </div>
            <Legend />
            <StatesTable machine={machine} />
            <ArrowsTable machine={machine} />
          </>
        )
      }}
    </Result>
  )
}

const StatePanel = ({ machine, state }: { machine: MachineWithDefinition; state: Machine['states'][number] }) => {
  const { machines: texts } = useOpsTexts()
  const { formats } = useReader()
  const staying = stayingEvents(machine.definition, state.state)
  return (
    <aside class="machine__state" aria-label={state.state}>
      <h2>
        <code>{state.state}</code>
      </h2>
      <Facts
        facts={[
          [texts.now, formats.count(state.count)],
          [texts.stay, staysText(state, texts, formats)],
          [texts.leaves, texts.times(formats.count(leftOf(machine, state.state)))],
          [texts.waitsFor, state.final ? null : state.driven ? texts.driven : texts.people],
        ]}
      />
      <h3>{texts.staying}</h3>
      {staying.length === 0 && <p class="quiet">{texts.noStaying}</p>}
      <ul>
        {staying.map(({ event, guards, published }) => (
          <li key={event}>
            <code>{labelLines([event])}</code>
            {[...guards.map(texts.ifGuard), ...published.map(texts.publishes)].map(line => (
              <span key={line} class="table__under">
                {line}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </aside>
  )
}

const Legend = () => {
  const { machines: texts } = useOpsTexts()
  return (
    <p class="chart__legend" aria-hidden="true">
      <span data-shows="flow">{texts.mainPath}</span>
      <span data-shows="never">{texts.neverTaken}</span>
      <span data-shows="share">{texts.share}</span>
    </p>
  )
}

const StatesTable = ({ machine }: { readonly machine: MachineWithDefinition }) => {
  const { machines: texts } = useOpsTexts()
  const { formats } = useReader()
  const { addressWith } = useAddressQuery()
  const total = machine.states.reduce((sum, { count }) => sum + count, 0)
  return (
    <Section title={texts.states} aside={texts.arrowsWhat}>
      <Table
        label={texts.states}
        rows={machine.states}
        keyOf={({ state }) => state}
        stateOf={({ count }) => (count === 0 ? 'ended' : undefined)}
        columns={[
          {
            ...{ key: 'state', head: texts.state, card: 1 },
            cell: ({ state }) => (
              <a class="open" href={addressWith({ state })}>
                <code>{state}</code>
              </a>
            ),
          },
          { key: 'stay', head: texts.stay, card: 3, cell: state => staysText(state, texts, formats) },
          {
            ...{ key: 'leaves', head: texts.leaves, card: 4, named: true, end: true },
            cell: ({ state, final }) => (final ? null : formats.count(leftOf(machine, state))),
          },
          {
            ...{ key: 'share', head: texts.shareHead, card: 5, named: true, end: true },
            cell: ({ count }) => (total === 0 ? null : formats.share(count / total)),
          },
          { key: 'now', head: texts.now, card: 2, end: true, cell: ({ count }) => formats.count(count) },
        ]}
      />
    </Section>
  )
}

/** How often actors left a state in the window. */
const leftOf = ({ edges }: Machine, state: string): number =>
  edges.filter(({ from }) => from === state).reduce((sum, { count }) => sum + count, 0)

const ArrowsTable = ({ machine }: { readonly machine: MachineWithDefinition }) => {
  const { machines: texts } = useOpsTexts()
  const { formats } = useReader()
  const download = () =>
    saveFile(`${machine.kind}.machine.json`, 'application/json', JSON.stringify(machine.definition, null, 2))
  return (
    <Section title={texts.arrows} aside={texts.arrowsWhat}>
      <Table
        label={texts.arrows}
        rows={machine.edges}
        keyOf={({ from, to }) => `${from} ${to}`}
        stateOf={({ count }) => (count === 0 ? 'ended' : undefined)}
        columns={[
          {
            ...{ key: 'from', head: texts.fromTo, card: 1 },
            cell: ({ from, to }) => (
              <code>
                {from} → {to}
              </code>
            ),
          },
          {
            key: 'events',
            head: texts.events,
            card: 3,
            cell: ({ events }) => <code>{labelLines(events).join(', ')}</code>,
          },
          { key: 'taken', head: texts.taken, card: 2, end: true, cell: ({ count }) => formats.count(count) },
        ]}
      />
      <p class="buttons machine__more">
        <button type="button" class="button" onClick={download}>
          {texts.definition}
        </button>
        <span class="quiet">{texts.version(String(machine.version))}</span>
      </p>
    </Section>
  )
}
