import type { OpsChain } from '../../api/ops-calls.ts'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Facts, Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Badge, type BadgeTone } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import type { StateShape } from '../../parts/state-mark.tsx'
import { Table } from '../../parts/table.tsx'
import { FailureList } from '../health/failure-list.tsx'
import { chainFailures, nodeErrorText } from '../health/failures.ts'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'

export const ChainsPage = () => {
  const { chains: texts, nav } = useOpsTexts()
  const result = useOpsQuery(['chains'], (call, signal) => call('listChains', {}, signal)).value
  return (
    <>
      <PageHead title={nav.chains} lead={texts.lead} />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.none}>{texts.noneWhat}</Empty>
          ) : (
            data.map(chain => <Chain key={chain.chainId} {...chain} />)
          )
        }
      </Result>
    </>
  )
}

const Chain = (chain: OpsChain) => {
  const texts = useOpsTexts()
  const { chains: words, health } = texts
  const { formats, now } = useReader()
  const { name, chainId, head, cursor, lagBlocks, lastBlockAt, readAt, stoppedAt, nodes, prices } = chain
  const failures = chainFailures(chain, { texts, formats, now: now.value })
  const count = (value: number | null) => (value === null ? health.unknown : formats.count(value))
  return (
    <Section title={name} aside={chainId}>
      {failures.length > 0 && <FailureList failures={failures} />}
      <div class="glance">
        <Facts
          facts={[
            [words.head, count(head)],
            [words.cursor, count(cursor)],
            [words.behind, lagBlocks === null ? health.unknown : health.chains(formats.count(lagBlocks))],
            [words.readAt, readAt === null ? health.unknown : <Moment at={readAt} />],
            [words.lastBlock, lastBlockAt === null ? health.unknown : <Moment at={lastBlockAt} />],
            [words.stoppedAt, stoppedAt !== null && <Moment at={stoppedAt} />],
          ]}
        />
        {prices.length > 0 && (
          <Facts
            facts={prices.map(({ pair, rate, at }) => [
              pair,
              rate === null ? (
                health.unknown
              ) : (
                <>
                  {rate} {at !== null && <Moment at={at} short />}
                </>
              ),
            ])}
          />
        )}
      </div>
      <Nodes name={name} nodes={nodes} />
    </Section>
  )
}

const looks: Readonly<Record<OpsChain['nodes'][number]['state'], readonly [StateShape, BadgeTone]>> = {
  healthy: ['done', 'good'],
  behind: ['warn', 'warn'],
  paused: ['bad', 'bad'],
  unknown: ['next', 'quiet'],
}

const Nodes = ({ name, nodes }: Pick<OpsChain, 'name' | 'nodes'>) => {
  const { chains: texts, health } = useOpsTexts()
  const { formats } = useReader()
  return (
    <Table
      label={`${texts.nodes}: ${name}`}
      rows={nodes}
      keyOf={({ label }) => label}
      columns={[
        { key: 'node', head: texts.node, card: 1, cell: ({ label }) => <code>{label}</code> },
        {
          ...{ key: 'state', head: texts.state, card: 2 },
          cell: ({ state }) => {
            const [shape, tone] = looks[state]
            return (
              <Badge shape={shape} tone={tone}>
                {texts.states[state]}
              </Badge>
            )
          },
        },
        {
          ...{ key: 'head', head: texts.head, card: 3, named: true },
          cell: ({ head }) => (head === null ? null : formats.count(head)),
        },
        {
          ...{ key: 'latency', head: texts.latency, card: 4, named: true },
          cell: ({ latencyMs }) => (latencyMs === null ? null : formats.duration(latencyMs)),
        },
        {
          ...{ key: 'error', head: texts.error, card: 7 },
          cell: ({ lastError }) => lastError && <span class="sentence">{nodeErrorText(lastError, health)}</span>,
        },
      ]}
    />
  )
}
