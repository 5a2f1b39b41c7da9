import { tasksOf } from '../../tasks/all.ts'
import { type Actors, openActors } from '../actors/actors.ts'
import { runFeedReaders } from '../actors/feed-readers.ts'
import type { LockWait } from '../actors/locked-actors.ts'
import { machineSumsReader } from '../actors/machine-sums.ts'
import type { Services } from '../actors/services.ts'
import { openTimers } from '../actors/timers.ts'
import { runAudit } from '../audit/run.ts'
import { scheduleAudits } from '../audit/schedule.ts'
import { confirmationsOf } from '../chain/enabled/chains.ts'
import { type Chains, type ConnectedChain, chainIdsOf } from '../chain/enabled/connect.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { isKnownToken } from '../chain/known/table.ts'
import { logRefundAttention } from '../chain/refunds/attention-log.ts'
import { watchRefunds } from '../chain/refunds/watch.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { passInvoiceTimesOf } from '../chain/watch/invoice-times.ts'
import { findRecipients } from '../chain/watch/recipients.ts'
import { recordNodes } from '../chain/watch/record-nodes.ts'
import { openSource, type SourceOptions } from '../chain/watch/source.ts'
import { type SubmissionChain, watchSubmissions } from '../chain/watch/submissions.ts'
import { openTransactions } from '../chain/watch/transactions.ts'
import { type Watched, watchChains } from '../chain/watch/watch.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Env } from '../env.ts'
import type { Keyring } from '../keyring.ts'
import { kinds } from '../kinds/all.ts'
import { ANSWER_TIMEOUT_S, connect, LOCK_TIMEOUT_MS } from '../postgres/connect.ts'
import { paymentSumsReader } from '../queries/payment-sums.ts'
import { mineWhileNeeded } from '../sandbox/mining.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type Signers, startSigners } from '../signer/signers.ts'
import { openListener } from '../webhooks/listener.ts'
import { openPoster } from '../webhooks/post.ts'
import { openSender, type Sender } from '../webhooks/sender.ts'
import { startWorker } from '../workers/worker.ts'
import { removeDueParties } from './party-removal.ts'
import { dropOldRecords } from './retention.ts'
import { logStuckActors } from './stuck-log.ts'
import { passSubscriptionTimers, runSubscriptions } from './subscription-loop.ts'
import { runTestClocks } from './test-clocks.ts'

/** The actors, and what a worker runs besides: timers, jobs, chain watchers, signers and the webhook sender. */
export type BackgroundServices = {
  readonly actors: Actors
  /** Why the worker of this process does not work; undefined if it does, or if there is none. */
  trouble(): string | undefined
  /** The longest wait for a row that another transaction has locked; undefined if no command waits. */
  longestLockWait(): LockWait | undefined
  /** The state of each chain for operators: `ok`, or a short description of the problem. */
  chains(): Readonly<Record<string, string>>
  /** Reads a chain immediately, if this process reads it. */
  wakeChain(chainId: number): void
  /** Counts of webhook attempts in this process; undefined if it sends none. */
  readonly sending: Pick<Sender, 'counts'> | undefined
  /** Finishes or releases what is under way, within 18 s, also if the database hangs. */
  stop(): Promise<void>
}

/** Registers the kinds and starts the services for ROLE. */
export const startBackgroundServices = async (
  { chains, sandbox, keyring, ...deps }: Dependencies & Given,
  env: Env,
  databaseUrl: string,
): Promise<BackgroundServices> => {
  // Commits have their own pool, so that they do not wait for the queries of requests.
  const sql = connect(databaseUrl, {
    ...{ max: 8, name: 'paymachine actors', byKey: true },
    ...{ lockMs: LOCK_TIMEOUT_MS, answerS: ANSWER_TIMEOUT_S },
  })
  let workers: WorkerServices | undefined
  const open = () => openActors({ ...deps, sql }, kinds, { onPublished: () => workers?.sender.wake() })
  const actors = await open()
  // Renewals have lanes of their own, so that live requests do not wait for their commits.
  const renewing = await open()
  const services = {
    renewing: { ...deps, sql, actors: renewing.withoutLockWaits },
    waiting: { ...deps, sql, actors },
    polling: { ...deps, sql, actors: actors.withoutLockWaits },
  }
  const { role, webhooks, retainDays } = env
  if (role !== 'api')
    workers = startWorkerServices(services, { chains, sandbox, keyring }, { role, webhooks, retainDays, databaseUrl })
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
      await renewing.idle()
      await sql.end({ timeout: 5 })
    },
  }
}

type Given = { readonly chains: Chains; readonly sandbox: Sandbox | undefined; readonly keyring: Keyring }

type WorkerServices = ReturnType<typeof startWorkerServices>

const CHAINS_GRACE_MS = 4_000

/** `polling`: for loops that find their work again at the next poll. They do not wait for locked rows. */
type WaitingAndPolling = { readonly renewing: Services; readonly waiting: Services; readonly polling: Services }

const startWorkerServices = (
  { renewing, waiting, polling: services }: WaitingAndPolling,
  { chains, sandbox, keyring }: Given,
  {
    role,
    webhooks,
    retainDays,
    databaseUrl,
  }: Pick<Env, 'webhooks' | 'retainDays'> & { role: 'all' | 'worker'; databaseUrl: string },
) => {
  const sender = openSender(waiting, {
    keyring,
    poster: openPoster({ rules: webhooks, now: () => services.clock.now() }),
  })
  const listener = openListener({ databaseUrl, onNotify: sender.wake, log: services.log })
  const tasks = tasksOf({
    sender,
    sign: async refundId => signers.sign(refundId),
    audit: (auditId, signal) => runAudit(services, auditId, { databaseUrl, keyring, signal }),
  })
  const worker = startWorker(waiting, { databaseUrl, tasks, role })
  const signers: Signers = startSigners({ ...services, chains, keyring, sandbox }, worker.share)
  const timerShare = () => {
    const { position, count } = worker.share()
    return { index: Math.max(position, 0), of: Math.max(count, 1) }
  }
  const timers = openTimers(services, services.actors, { share: timerShare })
  timers.start()
  const billing = { ...services, keyring }
  const testClocks = runTestClocks(services, {
    share: worker.share,
    passes: [passInvoiceTimesOf, (_, testClockId) => passSubscriptionTimers(billing, testClockId)],
  })
  testClocks.start()
  const subscriptions = runSubscriptions({ ...renewing, keyring }, { share: timerShare })
  subscriptions.start()
  const watch = watchChains(services, {
    chains: chains.all.map(each => ({
      ...watchedOf(each, { recipients: () => findRecipients(services.sql) }),
      ...(each.chain.id === sandboxId && { epoch: sandbox?.epoch }),
    })),
    share: worker.share,
  })
  const submissions = watchSubmissions(services, { chains: chains.all.map(submittedOn), share: worker.share })
  const refunds = watchRefunds(services, { chains: chains.all.map(submittedOn), share: worker.share })
  const warnings = logRefundAttention(services, { chainIds: chainIdsOf(chains), share: worker.share })
  const nodes = recordNodes(services, { chains: chains.all, share: worker.share })
  const audits = scheduleAudits(services, { share: worker.share })
  const stuck = logStuckActors(services, { share: worker.share })
  const parties = removeDueParties(services, { share: worker.share })
  const retention = dropOldRecords(services, { retainDays, share: worker.share })
  const sums = runFeedReaders(services, [machineSumsReader, paymentSumsReader], {
    isChosen: () => worker.share().position === 0,
  })
  const mining = sandbox && mineWhileNeeded(services, sandbox)
  return {
    sender,
    trouble: () => (worker.healthy() ? undefined : 'takes no jobs'),
    chainTroubles: watch.troubles,
    wakeChain: watch.wake,
    stop: async () => {
      // Requests to slow nodes are aborted: they are repeated after the next start.
      const graceTimer = setTimeout(() => chains.close(), CHAINS_GRACE_MS)
      await Promise.all([
        ...[timers.stop(), worker.stop(), watch.stop(), submissions.stop(), refunds.stop(), warnings.stop()],
        ...[nodes.stop(), audits.stop(), sums.stop(), stuck.stop(), parties.stop(), retention.stop()],
        ...[testClocks.stop(), subscriptions.stop()],
        ...[mining?.stop(), listener.stop(), sender.stop()],
      ])
      clearTimeout(graceTimer)
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
    hasFinalizedTag: chain.finality === 'finalized',
    pollMs: chain.pollMs,
    ...(!chain.minesOnDemand && { blockMs: chain.blockMs }),
    // The final block moves on only every few minutes.
    source: openSource(rpc, tokens, { ...options, finalForMs: 4 * chain.pollMs }),
  }
}

const submittedOn = ({ chain: { id, livemode, pollMs, tokens }, rpc }: ConnectedChain): SubmissionChain => ({
  ...{ id, livemode, pollMs, transactions: openTransactions(rpc) },
  tokens: tokens.map(({ address }) => address),
})

/** A problem with reading a chain is shown before a problem with the price of its native currency. */
export const chainStates = (
  { all, quotes }: Pick<Chains, 'all' | 'quotes'>,
  troubles: ReadonlyMap<number, string> = new Map(),
): Readonly<Record<string, string>> => {
  const doubted = quotes.feeds().filter(({ state }) => state !== 'accepted')
  const states = all.map(({ chain: { id }, rpc }) => {
    const price = doubted.find(({ chainId }) => chainId === id)
    return [id, troubles.get(id) ?? nodeProblem(rpc) ?? (price ? `no price of ${price.pair}: ${price.state}` : 'ok')]
  })
  return Object.fromEntries(states)
}

/** With two nodes, nothing becomes final and no window ends beyond the block that the slower node has reached. */
const nodeProblem = (rpc: Rpc): string | undefined => {
  const nodes = rpc.health()
  if (nodes.every(({ state }) => state === 'paused')) return 'unreachable'
  const current = nodes.filter(({ state }) => state !== 'paused' && state !== 'behind')
  const isSlow = nodes.some(({ state }) => state === 'behind') && current.length < 2
  return isSlow ? 'one of two nodes is behind: check it, or name another one' : undefined
}
