import type { ReadonlySignal } from '@preact/signals'
import { keepPreviousData, type QueryObserverResult } from '@tanstack/query-core'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Account } from '../../api/calls.ts'
import { type OpsCallName, type OpsCalls, opsCalls } from '../../api/ops-calls.ts'
import { useQuery } from '../../api/query.ts'
import { sendAs } from '../../api/request.ts'
import type { Session } from '../../api/session.ts'

type Ops = { readonly session: Session; readonly account: Account }

export const OpsContext = createContext<Ops | undefined>(undefined)

export const useOps = (): Ops => {
  const ops = useContext(OpsContext)
  if (!ops) throw new Error('useOps() needs an OpsContext')
  return ops
}

type Call = <Name extends OpsCallName>(
  name: Name,
  input: OpsCalls[Name]['input'],
  signal?: AbortSignal,
) => Promise<OpsCalls[Name]['output']>

export const useOpsCall = (): Call => {
  const { session } = useOps()
  return (name, input, signal) =>
    session.run(bearer => sendAs(opsCalls[name], { ...input }, { bearer, signal })) as Promise<
      OpsCalls[typeof name]['output']
    >
}

const POLL_MS = 5_000

type OpsQueryOptions = {
  /** What was shown for another key stays until the new data are there. */
  readonly keepsLast?: true
}

/** What the server shows of itself. It is read again every five seconds while the page is visible. */
export const useOpsQuery = <Data>(
  key: readonly unknown[],
  read: (call: Call, signal: AbortSignal) => Promise<Data>,
  { keepsLast }: OpsQueryOptions = {},
): ReadonlySignal<QueryObserverResult<Data>> => {
  const call = useOpsCall()
  return useQuery<Data>({
    queryKey: ['ops', ...key],
    queryFn: ({ signal }) => read(call, signal),
    refetchInterval: POLL_MS,
    refetchOnMount: 'always',
    ...(keepsLast && { placeholderData: keepPreviousData }),
  })
}
