/** The faults of test/harness/faulty-node.ts that change calls and responses. Faults that change bytes are in faulty-node.ts. */
export type RpcCall = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }
export type RpcEntry = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown }

export type Lies = {
  /** `status` swaps success and failure, `missing` returns null, `block` names another block. */
  readonly lies_about_receipt: { readonly how: 'status' | 'missing' | 'block' }
  /** `amount` adds one to the last word of the data, `recipient` changes topic 2, `block` names another block. */
  readonly lies_about_log: { readonly how: 'amount' | 'recipient' | 'block' }
  /** Reports the head plus `by`, which may be negative. The blocks themselves are correct. */
  readonly lies_about_head: { readonly by: number }
  /** Gives every block another hash, always the same one. */
  readonly lies_about_block: Readonly<Record<never, never>>
  readonly lies_about_chain_id: { readonly chainId: number }
  /** Hides the last `blocks` blocks, and every block after `at`. */
  readonly lags: { readonly blocks: number; readonly at: number }
  /** Adds `by` to the nonce of every address, at every block. */
  readonly lies_about_nonce: { readonly by: number }
  /** Gives each transaction another hash inside blocks, always the same one. */
  readonly lies_about_hashes: Readonly<Record<never, never>>
  /** Refuses state queries before this block, as nodes without an archive do. */
  readonly forgets_states: { readonly before: number }
  /** Returns only the first `keep` logs of every list. */
  readonly truncates_logs: { readonly keep: number }
  /** Refuses ranges of more than `most` blocks for logs. */
  readonly refuses_ranges: { readonly most: number }
  /** Leaves out one response of the batch. */
  readonly loses_entries: Readonly<Record<never, never>>
  /** Replaces one response of the batch by its neighbour, so that its id occurs twice. */
  readonly repeats_entries: Readonly<Record<never, never>>
  /** Shuffles the batch, which JSON-RPC allows. */
  readonly reorders_entries: Readonly<Record<never, never>>
  /** Uses the ids of another request. */
  readonly shifts_ids: Readonly<Record<never, never>>
  /** Refuses every call with a message that repeats the request and the node's own URL. */
  readonly echoes: Readonly<Record<never, never>>
}

export const lieDefaults: Lies = {
  lies_about_receipt: { how: 'status' },
  lies_about_log: { how: 'amount' },
  lies_about_head: { by: 1_000 },
  lies_about_block: {},
  lies_about_chain_id: { chainId: 666 },
  lags: { blocks: 100, at: Number.POSITIVE_INFINITY },
  lies_about_nonce: { by: 1 },
  lies_about_hashes: {},
  forgets_states: { before: Number.POSITIVE_INFINITY },
  truncates_logs: { keep: 0 },
  refuses_ranges: { most: 10 },
  loses_entries: {},
  repeats_entries: {},
  reorders_entries: {},
  shifts_ids: {},
  echoes: {},
}

export type Ask = (calls: readonly RpcCall[]) => Promise<readonly RpcEntry[]>

/** Answers the calls as a node with these faults would. `url` is repeated by `echoes`. */
export const answerFaultily = async (
  calls: readonly RpcCall[],
  faults: Partial<Lies>,
  { ask, random, url }: { readonly ask: Ask; readonly random: () => number; readonly url: string },
): Promise<readonly RpcEntry[]> => {
  const correct = faults.lags ? await askBehind(calls, faults.lags, ask) : await ask(calls)
  let entries = correct.map((entry, at) => lie(entry, calls[at], faults, url))
  const at = Math.floor(random() * entries.length)
  const last = entries.length - 1
  if (faults.loses_entries) entries = entries.filter((_, other) => other !== at)
  if (faults.repeats_entries)
    entries = entries.map((entry, other) => (other === at ? (entries[at ? at - 1 : last] ?? entry) : entry))
  if (faults.repeats_entries && last === 0) entries = [...entries, ...entries]
  if (faults.reorders_entries)
    entries = entries
      .map(entry => ({ entry, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ entry }) => entry)
  if (faults.shifts_ids) entries = entries.map(entry => ({ ...entry, id: Number(entry.id) + entries.length }))
  return entries
}

const lie = (entry: RpcEntry, call: RpcCall | undefined, faults: Partial<Lies>, url: string): RpcEntry => {
  const { id, result } = entry
  const method = call?.method ?? ''
  if (faults.echoes)
    return { id, error: { code: -32000, message: `${url} says no to ${JSON.stringify(call)}`, data: url } }
  if (faults.refuses_ranges && method === 'eth_getLogs' && blocksOf(call) > faults.refuses_ranges.most)
    return { id, error: { code: -32005, message: `at most ${faults.refuses_ranges.most} blocks, see ${url}` } }
  if (method === 'eth_chainId' && faults.lies_about_chain_id)
    return { id, result: hex(faults.lies_about_chain_id.chainId) }
  if (method === 'eth_blockNumber' && faults.lies_about_head)
    return { id, result: hex(Number(result) + faults.lies_about_head.by) }
  if (method === 'eth_getTransactionCount') return lieAboutNonce(entry, call, faults)
  if (method.startsWith('eth_getBlockBy') && faults.lies_about_hashes && isObject(result))
    return { id, result: { ...result, transactions: renamed(result.transactions) } }
  if (method.startsWith('eth_getBlockBy') && faults.lies_about_block && isObject(result))
    return { id, result: { ...result, hash: another(result.hash) } }
  if (method === 'eth_getTransactionReceipt' && isObject(result)) return { id, result: lieAboutReceipt(result, faults) }
  if (method === 'eth_getLogs' && Array.isArray(result)) return { id, result: lieAboutLogs(result, faults) }
  return entry
}

const lieAboutNonce = (entry: RpcEntry, call: RpcCall | undefined, faults: Partial<Lies>): RpcEntry => {
  const { lies_about_nonce, forgets_states } = faults
  const { id } = entry
  // Block tags are not numbers.
  if (forgets_states && Number(call?.params[1]) < forgets_states.before)
    return { id, error: { code: -32000, message: 'missing trie node' } }
  return lies_about_nonce ? { id, result: hex(Math.max(0, Number(entry.result) + lies_about_nonce.by)) } : entry
}

const renamed = (transactions: unknown) =>
  Array.isArray(transactions)
    ? transactions.map(each => (isObject(each) ? { ...each, hash: another(each.hash) } : another(each)))
    : transactions

const lieAboutReceipt = (receipt: Answered, faults: Partial<Lies>) => {
  const logs = Array.isArray(receipt.logs) ? lieAboutLogs(receipt.logs, faults) : receipt.logs
  switch (faults.lies_about_receipt?.how) {
    case 'status':
      return { ...receipt, logs, status: receipt.status === '0x1' ? '0x0' : '0x1' }
    case 'missing':
      return null
    case 'block':
      return { ...receipt, blockHash: another(receipt.blockHash), logs: receipt.logs }
    default:
      return { ...receipt, logs }
  }
}

const lieAboutLogs = (logs: readonly Answered[], { lies_about_log, truncates_logs }: Partial<Lies>) =>
  logs.slice(0, truncates_logs?.keep).map(log => {
    switch (lies_about_log?.how) {
      case 'amount':
        return { ...log, data: hex(BigInt(String(log.data)) + 1n, 64) }
      case 'recipient':
        return {
          ...log,
          topics: Array.isArray(log.topics) ? log.topics.with(2, hex(BigInt(log.topics[2]) ^ 1n, 64)) : [],
        }
      case 'block':
        return { ...log, blockHash: another(log.blockHash) }
      default:
        return log
    }
  })

/** Answers for a node that lags: the same calls are sent to the real node with older block numbers. */
const askBehind = async (calls: readonly RpcCall[], { blocks, at }: Lies['lags'], ask: Ask) => {
  const [latest, finalized] = await ask([
    { id: 1, method: 'eth_blockNumber', params: [] },
    { id: 2, method: 'eth_getBlockByNumber', params: ['finalized', false] },
  ])
  const head = Math.max(0, Math.min(Number(latest?.result) - blocks, at))
  const depth = Number(latest?.result) - (isObject(finalized?.result) ? Number(finalized.result.number) : 0)
  const tags: Readonly<Record<string, number>> = {
    latest: head,
    pending: head,
    safe: Math.max(0, head - depth),
    finalized: Math.max(0, head - depth),
  }
  const moved = (value: unknown): unknown => {
    if (typeof value === 'string' && value in tags) return hex(tags[value] ?? 0)
    return isObject(value) && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, moved(each)]))
      : value
  }
  const entries = await ask(calls.map(call => ({ ...call, params: call.params.map(moved) })))
  const isUnseen = (value: unknown) => isObject(value) && Number(value.number ?? value.blockNumber ?? 0) > head
  return entries.map(({ id, ...entry }, at) => {
    const call = calls[at]
    if (call?.method === 'eth_blockNumber') return { id, result: hex(head) }
    if (!Array.isArray(entry.result)) return isUnseen(entry.result) ? { id, result: null } : { id, ...entry }
    const seen = entry.result.filter(each => !isUnseen(each))
    const [filter] = call?.params ?? []
    if (seen.length < entry.result.length && isObject(filter) && filter.blockHash !== undefined)
      return { id, error: { code: -32000, message: 'unknown block' } }
    return { id, ...entry, result: seen }
  })
}

type Answered = Readonly<Record<string, unknown>>

const blocksOf = (call: RpcCall | undefined) => {
  const [filter] = call?.params ?? []
  return isObject(filter) && filter.blockHash === undefined ? Number(filter.toBlock) - Number(filter.fromBlock) + 1 : 1
}

/** Another hash, always the same one. */
const another = (hash: unknown) => hex(BigInt(String(hash)) ^ 0xffffn, 64)

const hex = (number: number | bigint, digits = 1) => `0x${number.toString(16).padStart(digits, '0')}`

const isObject = (value: unknown): value is Answered => typeof value === 'object' && value !== null
