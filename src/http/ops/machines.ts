import { type } from 'arktype'
import { refuse } from '../../errors.ts'
import { kinds } from '../../kinds/all.ts'
import { arrowsOf, definitionOf, eventsOf, statesOf, uncountedStates } from '../../kinds/definition.ts'
import { drivenStates } from '../../kinds/event-marks.ts'
import {
  countStates,
  type Flow,
  type MachineWindow,
  machineWindows,
  percentileMs,
  readFlows,
  readStays,
  type StateCount,
  type Stays,
} from '../../queries/ops/machines.ts'
import { isMachineName } from '../../resources.ts'
import type { Api } from '../api.ts'
import { getMachineDocs, listMachinesDocs } from '../docs/ops.ts'
import { forOperators, type Route } from '../route.ts'

const windowQuery = () => type({ 'window?': type.enumerated(...machineWindows) })

// Not the default of the type: a type without transformations is only checked.
const DEFAULT: MachineWindow = '24h'

export const opsMachineRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/machines',
      docs: listMachinesDocs,
      query: windowQuery,
      handle: async (api, { query }) => {
        const figures = await readFigures(api, query.window ?? DEFAULT)
        const data = kinds.map(kind => machineOf(kind, figures))
        return { status: 200, body: { object: 'list', data, has_more: false } }
      },
    },
  ),

  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/machines/:kind',
      docs: getMachineDocs,
      query: windowQuery,
      handle: async (api, { params, query }) => {
        const kind = kinds.find(({ name }) => name === params.kind) ?? refuse('resource_not_found')
        const figures = await readFigures(api, query.window ?? DEFAULT)
        return { status: 200, body: { ...machineOf(kind, figures), definition: definitionOf(kind) } }
      },
    },
  ),
]

type Figures = {
  readonly counts: readonly StateCount[]
  readonly flows: readonly Flow[]
  readonly stays: readonly Stays[]
}

const readFigures = async ({ sql }: Pick<Api, 'sql'>, window: MachineWindow): Promise<Figures> => {
  const [counts, flows, stays] = await Promise.all([
    countStates(sql, kinds),
    readFlows(sql, window),
    readStays(sql, window),
  ])
  return { counts, flows, stays }
}

const machineOf = (kind: (typeof kinds)[number], { counts, flows, stays }: Figures) => {
  const { name, version } = kind
  const uncounted = uncountedStates(kind)
  const dwellOf = (state: string) => {
    const found = uncounted.includes(state) ? undefined : stays.find(each => each.kind === name && each.state === state)
    return found ? { p50: percentileMs(found, 0.5), p95: percentileMs(found, 0.95) } : null
  }
  return {
    object: 'machine',
    id: name,
    kind: name,
    version,
    events: eventsOf(kind),
    states: statesOf(kind).map(({ state, isFinal }) => ({
      state,
      final: isFinal,
      driven: isMachineName(name) && drivenStates[name].includes(state),
      count: counts.find(each => each.kind === name && each.state === state)?.actors ?? 0,
      dwellMs: dwellOf(state),
    })),
    edges: arrowsOf(kind).map(({ from, to, events }) => ({
      from,
      to,
      events,
      count: flows.find(each => each.kind === name && each.from === from && each.to === to)?.taken ?? 0,
    })),
  }
}
