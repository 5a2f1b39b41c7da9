import { useContext } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Machine, MachineWithDefinition, OpsTransition, StoryStep } from '../../api/ops-calls.ts'
import { CacheContext } from '../../api/query.ts'
import { useAddressQuery } from '../../dashboard/shell/filters.tsx'
import { useShortcut } from '../../parts/shortcut.ts'
import { useOpsQuery } from '../shell/ops.ts'

/** How many revisions are read at once. */
const LIMIT = 100

/** The revisions around one, with the one before them, which the first is compared with. The last ones stay until then. */
export const useStory = (id: string, rev: number) => {
  const first = Math.floor((rev - 1) / (LIMIT - 1)) * (LIMIT - 1)
  return useOpsQuery(
    ['actor', id, 'story', first],
    (call, signal) =>
      call(
        'readActorStory',
        { id, limit: LIMIT, order: 'asc', ...(first > 1 && { startingAfter: `${id}:${first - 1}` }) },
        signal,
      ),
    { keepsLast: true },
  ).value
}

/** The machine of an actor, with its figures of a day. */
export const useMachine = (kind: Machine['kind']): MachineWithDefinition | undefined =>
  useOpsQuery(['machine', kind, '24h'], (call, signal) => call('getMachine', { kind, window: '24h' }, signal)).value
    .data

/** The revision of the address. It is stepped through with the arrow keys, and scrubbed. */
export const useRevision = (latest: number) => {
  const { get, addressWith } = useAddressQuery()
  const { route } = useLocation()
  const given = Number(get('rev'))
  const rev = Number.isInteger(given) && given >= 1 && given <= latest ? given : latest
  /** Replaces the entry of the browser's history, which would have one for each step otherwise. */
  const go = (to: number) => {
    if (to >= 1 && to <= latest && to !== rev) route(addressWith({ rev: String(to) }), true)
  }
  useShortcut('ArrowLeft', () => go(rev - 1))
  useShortcut('ArrowRight', () => go(rev + 1))
  return { rev, go, addressOf: (to: number) => addressWith({ rev: String(to) }) }
}

type Revision = Pick<OpsTransition, 'to' | 'context'>
export type FieldChange = { readonly name: string; readonly old: string | null; readonly now: string | null }

/** The fields, and the state, that differ between two revisions. */
export const changesOf = (now: Revision, before: Revision | undefined): readonly FieldChange[] => {
  const textOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  const [old, next] = [before, now].map(each => ({ state: each?.to, ...each?.context })) as readonly Readonly<
    Record<string, unknown>
  >[]
  return [...new Set([...Object.keys(old ?? {}), ...Object.keys(next ?? {})])]
    .map(name => ({ name, old: textOf(old?.[name]), now: textOf(next?.[name]) }))
    .filter(({ old, now }) => old !== now)
}

/** The machine with the path that one actor has taken up to a revision, as far as it was read. */
export const machineOnPath = (machine: MachineWithDefinition, steps: readonly StoryStep[], rev: number): Machine => {
  const taken = steps.map(({ transition }) => transition).filter(each => each.rev <= rev)
  const moves = taken.filter(({ from, to }) => from !== to)
  const entered = [...moves.map(({ to }) => to), ...(taken[0]?.from == null ? [] : [taken[0].from])]
  return {
    ...machine,
    states: machine.states.map(each => ({ ...each, count: entered.filter(state => state === each.state).length })),
    edges: machine.edges.map(each => ({
      ...each,
      count: moves.filter(({ from, to }) => from === each.from && to === each.to).length,
    })),
  }
}

/** Reads an actor again after something was done to it. */
export const useRefreshed = () => {
  const cache = useContext(CacheContext)
  return () => cache.invalidateQueries({ queryKey: ['ops'] })
}
