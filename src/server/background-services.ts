import { tasksOf } from '../../tasks/all.ts'
import { type Actors, openActors } from '../actors/actors.ts'
import type { LockWait } from '../actors/lockouts.ts'
import { openTimers } from '../actors/timers.ts'
import type { World } from '../actors/world.ts'
import { confirmationsOf } from '../chain/enabled/chains.ts'
import { type Chains, type ConnectedChain, chainIdsOf } from '../chain/enabled/connect.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { isKnownToken } from '../chain/known/table.ts'
import { warnOfRefunds } from '../chain/refunds/warn.ts'
import { watchRefunds } from '../chain/refunds/watch.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { findRecipients } from '../chain/watch/recipients.ts'
import { openSource, type SourceOptions } from '../chain/watch/source.ts'
import { type SubmissionChain, watchSubmissions } from '../chain/watch/submissions.ts'
import { openTransactions } from '../chain/watch/transactions.ts'
import { type Watched, watchChains } from '../chain/watch/watch.ts'
import type { Env } from '../env.ts'
import type { Keyring } from '../keyring.ts'
import { kinds } from '../kinds/all.ts'
import type { Outside } from '../outside.ts'
import { ANSWER_S, connect, LOCK_MS } from '../postgres/connect.ts'
import { mineWhileAwaited } from '../sandbox/mining.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type Signers, startSigners } from '../signer/signers.ts'
import { openEars } from '../webhooks/ears.ts'
import { openPoster } from '../webhooks/post.ts'
import { openSender, type Sender } from '../webhooks/sender.ts'
import { work } from '../workers/work.ts'

/** What runs besides the HTTP server: the actors, their timers, the workers and the chain watchers. */
export type BackgroundServices = {
  readonly actors: Actors
  /** What keeps the workers from working; undefined when nothing does. */
  trouble(): string | undefined
  /** What waits longest because another transaction has locked a row; undefined when nothing does. */
  longestLockWait(): LockWait | undefined
  /** How each chain is, for people: `ok`, or what is wrong in a word. One's trouble is no other's. */
  chains(): Readonly<Record<string, string>>
  /** Has a chain read before its turn, where this process reads it. */
  wakeChain(chainId: number): void
  /** What becomes of webhooks in this process; undefined where none are sent. */
  readonly sending: Pick<Sender, 'counts'> | undefined
  /** Finishes what is under way or gives it back; within 18 s, also when the database hangs. */
  stop(): Promise<void>
}

/** Registers the machines with the actors and starts what ROLE asks for. */
export const startBackgroundServices = async (
  { chains, sandbox, keyring, ...outside }: Outside & Given,
  env: Env,
  databaseUrl: string,
): Promise<BackgroundServices> => {
  // A pool of their own: whatever a page asks of the database, commits do not queue behind it.
  const sql = connect(databaseUrl, {
    ...{ max: 8, name: 'paymachine actors', byKey: true },
    ...{ lockMs: LOCK_MS, answerS: ANSWER_S },
  })
  let workers: WorkerServices | undefined
  const actors = await openActors({ ...outside, sql }, kinds, { published: () => workers?.sender.wake() })
  const worlds = {
    waiting: { ...outside, sql, actors },
    background: { ...outside, sql, actors: actors.withoutLockWaits },
  }
  const { role, webhooks } = env
  if (role !== 'api')
    workers = startWorkerServices(worlds, { chains, sandbox, keyring }, { role, webhooks, databaseUrl })
  return {
    actors,
    trouble: () => workers?.trouble(),
    longestLockWait: actors.longestLockWait,
    wakeChain: chainId => workers?.wakeChain(chainId),
    sending: workers?.sender,
    chains: () => chainStates(chains, workers?.chainTroubles()),
    stop: async () => {
      await workers?.stop()
      await actors.idle()
      await sql.end({ timeout: 5 })
    },
  }
}

/** What a process knows of chains; without a sandbox there is none to mine for. */
export type OnChain = { readonly chains: Chains; readonly sandbox: Sandbox | undefined }

type Given = OnChain & { readonly keyring: Keyring }

type WorkerServices = ReturnType<typeof startWorkerServices>

const CHAINS_GRACE_MS = 4_000

/** `background`: for what looks for its work again and again, and for all of it at once: it waits for no locked row. */
type Worlds = { readonly waiting: World; readonly background: World }

const startWorkerServices = (
  { waiting, background: world }: Worlds,
  { chains, sandbox, keyring }: Given,
  { role, webhooks, databaseUrl }: Pick<Env, 'webhooks'> & { role: 'all' | 'worker'; databaseUrl: string },
) => {
  const sender = openSender(waiting, {
    keyring,
    poster: openPoster({ rules: webhooks, now: () => world.clock.now() }),
  })
  const ears = openEars({ databaseUrl, heard: sender.wake, log: world.log })
  const tasks = tasksOf({ sender, sign: async refundId => signers.sign(refundId) })
  const worker = work(waiting, { databaseUrl, tasks, role })
  const signers: Signers = startSigners({ ...world, chains, keyring, sandbox }, worker.share)
  const timers = openTimers(world, world.actors, {
    share: () => {
      const { position, count } = worker.share()
      return { index: Math.max(position, 0), of: Math.max(count, 1) }
    },
  })
  timers.start()
  const watch = watchChains(world, {
    chains: chains.all.map(each => ({
      ...watchedOf(each, { recipients: () => findRecipients(world.sql) }),
      ...(each.chain.id === sandboxId && { epoch: sandbox?.epoch }),
    })),
    share: worker.share,
  })
  const submissions = watchSubmissions(world, { chains: chains.all.map(submittedOn), share: worker.share })
  const refunds = watchRefunds(world, { chains: chains.all.map(submittedOn), share: worker.share })
  const warnings = warnOfRefunds(world, { chainIds: chainIdsOf(chains), share: worker.share })
  const mining = sandbox && mineWhileAwaited(world, sandbox)
  return {
    sender,
    trouble: () => (worker.healthy() ? undefined : 'takes no jobs'),
    chainTroubles: watch.troubles,
    wakeChain: watch.wake,
    stop: async () => {
      // What is asked of a slow node can be asked again after the next start.
      const impatience = setTimeout(() => chains.close(), CHAINS_GRACE_MS)
      await Promise.all([
        ...[timers.stop(), worker.stop(), watch.stop(), submissions.stop(), refunds.stop(), warnings.stop()],
        ...[mining?.stop(), ears.stop(), sender.stop()],
      ])
      clearTimeout(impatience)
    },
  }
}

export const watchedOf = ({ chain, rpc }: ConnectedChain, options: Pick<SourceOptions, 'recipients'> = {}): Watched => {
  const tokens = chain.tokens.map(({ address }) => address)
  return {
    id: chain.id,
    tokens,
    uncheckedTokens: chain.id === sandboxId ? [] : tokens.filter(address => !isKnownToken(chain.id, address)),
    livemode: chain.livemode,
    confirmations: confirmationsOf(chain),
    saysFinal: chain.finality === 'finalized',
    pollMs: chain.pollMs,
    ...(!chain.minesOnDemand && { blockMs: chain.blockMs }),
    // That moves on in minutes.
    source: openSource(rpc, tokens, { ...options, finalForMs: 4 * chain.pollMs }),
  }
}

const submittedOn = ({ chain: { id, livemode, pollMs, tokens }, rpc }: ConnectedChain): SubmissionChain => ({
  ...{ id, livemode, pollMs, transactions: openTransactions(rpc) },
  tokens: tokens.map(({ address }) => address),
})

/** What keeps a chain from being read comes first, and then what keeps its coin from being offered. */
export const chainStates = (
  { all, quotes }: Pick<Chains, 'all' | 'quotes'>,
  troubles: ReadonlyMap<number, string> = new Map(),
): Readonly<Record<string, string>> => {
  const doubted = quotes.feeds().filter(({ state }) => state !== 'believed')
  const states = all.map(({ chain: { id }, rpc }) => {
    const price = doubted.find(({ chainId }) => chainId === id)
    return [id, troubles.get(id) ?? lackOf(rpc) ?? (price ? `no price of ${price.pair}: ${price.state}` : 'ok')]
  })
  return Object.fromEntries(states)
}

/** Too few nodes: with two of them nothing counts, and no window ends, beyond where the slower one is. */
const lackOf = (rpc: Rpc): string | undefined => {
  const nodes = rpc.health()
  if (nodes.every(({ state }) => state === 'paused')) return 'unreachable'
  const abreast = nodes.filter(({ state }) => state !== 'paused' && state !== 'behind')
  const isSlow = nodes.some(({ state }) => state === 'behind') && abreast.length < 2
  return isSlow ? 'one of two nodes is behind: look at it, or name another one' : undefined
}
