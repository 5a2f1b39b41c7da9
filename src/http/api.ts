import { type KeyCache, openKeyCache } from '../access/key-cache.ts'
import { openPasswords } from '../access/passwords.ts'
import { openSessionCache } from '../access/session-cache.ts'
import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import type { AccountContext } from '../commands/account-context.ts'
import { type BalanceChecks, openBalanceChecks } from '../commands/balance-checks.ts'
import type { Env } from '../env.ts'
import type { Web } from '../pages/web.ts'
import { clusterIn } from '../postgres/cluster-location.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ChangeStreams } from './change-streams.ts'
import { openPaymentStreams } from './checkout-stream.ts'
import type { Streams } from './checkout-streams.ts'
import { type ExportRuns, type ExportTimes, openExportRuns } from './export-runs.ts'
import { type Inspector, openInspector } from './inspector.ts'
import { openInvoiceStreams } from './invoice-streams.ts'
import { openMerchantStreams } from './merchant-streams.ts'
import { openSubscriptionStreams } from './subscription-streams.ts'
import { openTraffic, type Traffic } from './traffic.ts'
import { openTransitionStreams, type TransitionStreams } from './transition-streams.ts'

/** The dependencies of the routes. */
export type Api = Services &
  AccountContext & {
    readonly settings: AccountContext['settings'] &
      Pick<Env, 'host' | 'trustedProxies' | 'apiRateLimit' | 'checkoutRateLimit' | 'metricsToken' | 'webhooks'>
    readonly keys: KeyCache
    readonly chains: Chains
    /** Undefined if the sandbox chain is not available. */
    readonly sandbox: Sandbox | undefined
    /** Event streams of payments. They are closed before the server stops, because it would wait for them. */
    readonly streams: Streams
    /** Event streams of invoices. They are closed like those of payments. */
    readonly invoiceStreams: Streams
    /** Event streams of subscriptions. They are closed like those of payments. */
    readonly subscriptionStreams: Streams
    /** Event streams of merchants. They are closed like those of payments. */
    readonly merchantStreams: ChangeStreams
    /** Event streams of operators. They are closed like those of payments. */
    readonly transitionStreams: TransitionStreams
    /** WebSockets of the inspector. They are closed like the streams. */
    readonly inspector: Inspector
    /** Balance checks for payments that customers are waiting for. */
    readonly balanceChecks: BalanceChecks
    /** Exports of this process. They are broken off before the server stops, because it would wait for them. */
    readonly exportRuns: ExportRuns
    readonly traffic: Traffic
    /** The scripts and style sheets of the pages. */
    readonly web: Web
    /** Of the Postgres that the server runs; undefined with another one. */
    readonly clusterFolder: string | undefined
  }

/** Closing it writes the last uses of API keys. */
export type OpenApi = Api & { close(): Promise<void> }

export type ApiOptions = Pick<Api, 'keyring' | 'chains' | 'sandbox' | 'web'> & {
  readonly env: Env
  readonly signUpCode: string | null
  /** Reads a chain immediately, if this process reads it. */
  readonly wakeChain?: (chainId: number) => void
  /** Of the database, if the server runs it. */
  readonly databaseUrl?: string
  /** How long an export may take, and its client may read nothing. */
  readonly exportTimes?: ExportTimes
}

export const openApi = (
  services: Services,
  { env, keyring, signUpCode, chains, sandbox, web, wakeChain, databaseUrl, exportTimes }: ApiOptions,
): OpenApi => {
  const sessions = openSessionCache(services, keyring)
  const keys = openKeyCache(services)
  const balanceChecks = openBalanceChecks(services, chains, { wake: wakeChain })
  const { host, publicUrl, trustedProxies, signUp, apiRateLimit, checkoutRateLimit, metricsToken, webhooks } = env
  const invoiceStreams = openInvoiceStreams(services)
  const subscriptionStreams = openSubscriptionStreams({ ...services, settings: { publicUrl }, keyring })
  const streams = openPaymentStreams({ ...services, settings: { publicUrl }, keyring, chains, balanceChecks })
  const merchantStreams = openMerchantStreams(services)
  const transitionStreams = openTransitionStreams({ ...services, chains })
  const inspector = openInspector(services)
  const exportRuns = openExportRuns(services, { databaseUrl: databaseUrl ?? env.databaseUrl, ...exportTimes })
  return {
    ...services,
    settings: {
      ...{ host, publicUrl, trustedProxies, signUp, apiRateLimit, checkoutRateLimit, metricsToken, webhooks },
      signUpCode,
    },
    keyring,
    passwords: openPasswords(),
    sessions,
    keys,
    chains,
    sandbox,
    streams,
    invoiceStreams,
    subscriptionStreams,
    merchantStreams,
    transitionStreams,
    inspector,
    balanceChecks,
    exportRuns,
    traffic: openTraffic(),
    web,
    clusterFolder: env.databaseUrl === undefined ? clusterIn(env.dataDir) : undefined,
    close: async () => {
      streams.stop()
      invoiceStreams.stop()
      subscriptionStreams.stop()
      merchantStreams.stop()
      transitionStreams.stop()
      inspector.stop()
      exportRuns.stop()
      sessions.stop()
      await balanceChecks.stop()
      await keys.stop()
    },
  }
}
