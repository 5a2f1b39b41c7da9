import { kinds } from '../../../src/kinds/all.ts'
import { arrowsOf, definitionOf, eventsOf, statesOf } from '../../../src/kinds/definition.ts'
import { drivenStates } from '../../../src/kinds/event-marks.ts'
import { type MachineName, resources } from '../../../src/resources.ts'
import type {
  Actor,
  ActorPreview,
  FoundActor,
  MachineWithDefinition,
  OpsAudit,
  OpsChain,
  OpsDatabase,
  OpsEndpoint,
  OpsQueue,
  OpsSigner,
  OpsTransition,
  OpsWorker,
  StoryStep,
  StuckActor,
} from '../../../src/web/api/ops-calls.ts'

/** What the API answers operators, for pictures of the pages. The pages compare times with now. */
const NOW = Date.now()
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString()

export const merchantId = 'mer_06bt4m9x3kq7v5n2c8hd1wzrfe'
const paymentId = 'pay_06bt4m9x3kq7v5n2c8hd1wzrfe'

/** Figures that differ, and are the same each time. */
const figure = (name: string, most: number): number =>
  [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9_973, 7) % most

export const machines: readonly MachineWithDefinition[] = kinds.map(kind => {
  const name = kind.name as MachineName
  return {
    ...{ object: 'machine', id: name, kind: name, version: kind.version, events: [...eventsOf(kind)] },
    states: statesOf(kind).map(({ state, isFinal }) => ({
      ...{ state, final: isFinal, driven: drivenStates[name].includes(state) },
      count: figure(state, isFinal ? 2_000_000 : 900),
      dwellMs: isFinal ? null : { p50: 1_200 * (1 + figure(state, 90)), p95: 9_000 * (1 + figure(state, 900)) },
    })),
    edges: arrowsOf(kind).map(({ from, to, events }) => ({
      ...{ from, to, events },
      count: figure(`${from}${to}`, 4) === 0 ? 0 : figure(`${to}${from}`, 40_000),
    })),
    definition: { ...definitionOf(kind) },
  }
})

/** Of a new server. */
export const unusedMachines: readonly MachineWithDefinition[] = machines.map(machine => ({
  ...machine,
  states: machine.states.map(state => ({ ...state, count: 0, dwellMs: null })),
  edges: machine.edges.map(edge => ({ ...edge, count: 0 })),
}))

export const workers: readonly OpsWorker[] = ['2f6b0c9d1e4a5f77', '9a1b2c3d4e5f6071'].map((id, n) => ({
  ...{ id: `worker-${id}`, role: n === 0 ? 'all' : 'worker', version: '0.1.0' },
  ...{ startedAt: ago(4_000 + n * 900), heartbeatAt: ago(0) },
}))

export const queues: readonly OpsQueue[] = [
  ['deliveries', 3, 14, 0, 140],
  ['disable-failing-endpoint', 0, 0, 0, 0],
  ['run-audit', 0, 1, 0, 0],
  ['send-webhooks', 2, 0, 0, 90],
  ['sign-refund', 0, 2, 0, 0],
  ['timers', 1, 1_204, 0, 20],
  ['unsettled-payments', 0, 0, 0, 0],
].map(([task, ready, delayed, failed, oldestAgeMs]) => ({ task, ready, delayed, failed, oldestAgeMs }) as OpsQueue)

const node = (label: string, more: Partial<OpsChain['nodes'][number]> = {}): OpsChain['nodes'][number] => ({
  ...{ label, state: 'healthy', head: 38_202_114, latencyMs: 41, lastError: null, ...more },
})

export const chains: readonly OpsChain[] = [
  {
    ...{
      chainId: 8453,
      name: 'Base',
      head: 38_202_114,
      cursor: 38_202_113,
      lagBlocks: 1,
      lastBlockAt: ago(0),
      readAt: ago(0),
      stoppedAt: null,
    },
    nodes: [node('base.rpc.example.org'), node('base-mainnet.nodes.lampsandlight.example:8545', { latencyMs: 7 })],
    prices: [{ pair: 'ETH / USD', rate: '3012.45', at: ago(2) }],
  },
  {
    ...{
      chainId: 1,
      name: 'Ethereum',
      head: 21_000_004,
      cursor: 21_000_004,
      lagBlocks: 0,
      lastBlockAt: ago(0),
      readAt: ago(0),
      stoppedAt: null,
    },
    nodes: [node('eth.rpc.example.org', { head: 21_000_004, latencyMs: 230 })],
    prices: [
      { pair: 'ETH / USD', rate: '3012.45', at: ago(1) },
      { pair: 'EUR / USD', rate: null, at: null },
    ],
  },
]

export const endpoints: readonly OpsEndpoint[] = [
  {
    ...{ id: 'whe_06bt4m9x3kq7v5n2c8hd1wzrfe', merchantId, livemode: true, host: 'lamps.shop', status: 'enabled' },
    ...{ disabledReason: null, due: 3, oldestAgeMs: 140, scheduled: 0, retrying: 0, retryingSince: null },
    ...{ lastOutcome: null, lastHttpStatus: null, lastSuccessAt: ago(1) },
  },
]

export const signers: readonly OpsSigner[] = [
  {
    ...{ merchantId, chainId: 8453, network: 'Base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
    ...{ status: 'on', asset: 'ETH', balance: '31000000000000000', openTransactions: 1, unclearSince: null, waits: [] },
  },
]

const retention: OpsDatabase['retention'] = (['attempt_bodies', 'deliveries', 'history'] as const).map(part => ({
  ...{ part, dropped: 120_000, completedAt: ago(300), heldBack: null },
}))

export const database: OpsDatabase = {
  retention,
  ...{ version: '18.4', sizeBytes: 734_003_200, connections: 24, maxConnections: 100, heldMs: 0, transactions: [] },
  disk: { freeBytes: 81_604_378_624, totalBytes: 107_374_182_400 },
}

const checks = (broken: number): OpsAudit['checks'] =>
  Array.from({ length: 93 }, (_, n) => ({
    ...{ name: n < broken ? 'I7: a timer overdue by more than a minute' : `I9: check ${n}`, count: n < broken ? 3 : 0 },
    ...{
      status: n < broken ? 'findings' : 'clean',
      sample: n < broken ? '0193a000-0000-7000-8000-000000000060' : null,
    },
  }))

export const audits: readonly OpsAudit[] = (['clean', 'findings', 'failed', 'clean'] as const).map((status, n) => ({
  ...{ id: `0193a000-0000-7000-8000-00000000006${n}`, status, startedAt: ago(300 + n * 1_440) },
  startedBy: n === 1 ? { type: 'operator', id: 'usr_06bt4m9x3kq7v5n2c8hd1wzrfe' } : { type: 'schedule', id: null },
  ...{ finishedAt: ago(299 + n * 1_440), checks: status === 'failed' ? [] : checks(status === 'findings' ? 1 : 0) },
}))

export const stuck: readonly StuckActor[] = [
  { kind: 'payment', id: paymentId, state: 'processing', since: ago(412), reason: 'dwell' },
  { kind: 'refund', id: 're_06bt4m9x3kq7v5n2c8hd1wzrfe', state: 'processing', since: ago(95), reason: 'no_exit' },
]

/** What does not work, one of each. */
export const broken = {
  workers: workers.map(worker => ({ ...worker, heartbeatAt: ago(9) })),
  queues: queues.map(queue =>
    queue.task === 'sign-refund' ? { ...queue, failed: 2, ready: 4, oldestAgeMs: 190_000 } : queue,
  ),
  chains: [
    {
      ...(chains[0] as OpsChain),
      ...{ lagBlocks: 412, cursor: 38_201_702 },
      nodes: [
        node('base.rpc.example.org', { state: 'paused', lastError: 'timeout', latencyMs: null }),
        node('base-mainnet.nodes.lampsandlight.example:8545', {
          state: 'behind',
          head: 38_201_990,
          lastError: 'behind',
        }),
      ],
    },
    { ...(chains[1] as OpsChain), nodes: [node('eth.rpc.example.org', { state: 'paused', lastError: 'unreachable' })] },
  ],
  endpoints: [
    {
      ...(endpoints[0] as OpsEndpoint),
      id: 'whe_gone',
      host: 'gone.example',
      status: 'disabled',
      disabledReason: 'gone',
    },
    {
      ...(endpoints[0] as OpsEndpoint),
      ...{
        id: 'whe_fails',
        host: 'hooks.a-rather-long-name-of-a-shop.example:8443',
        retrying: 12,
        scheduled: 12,
        due: 0,
      },
      ...{ retryingSince: ago(130), lastOutcome: 'http_error', lastHttpStatus: 503, lastSuccessAt: ago(200) },
    },
    ...endpoints,
  ],
  signers: [
    {
      ...(signers[0] as OpsSigner),
      ...{ balance: '120000000', waits: [{ reason: 'no_gas', count: 2, since: ago(40) }], unclearSince: ago(70) },
    },
    {
      ...(signers[0] as OpsSigner),
      ...{ chainId: 1, network: 'Ethereum', address: `0x${'7a'.repeat(20)}`, balance: '0' },
    },
  ],
  database: {
    ...{
      ...database,
      retention: retention.map((each, n) => ({
        ...each,
        heldBack: (['audit', 'broken', 'failed'] as const)[n] ?? null,
      })),
      connections: 91,
      heldMs: 620_000,
      disk: { freeBytes: 4_000_000_000, totalBytes: 107_374_182_400 },
    },
    transactions: [{ pid: 4711, ageMs: 620_000, state: 'idle in transaction', writing: true }],
  },
  stuck,
  audits: audits.slice(1),
}

const actorOf = (more: Partial<Actor>): Actor => ({
  ...{ object: 'actor', id: paymentId, kind: 'payment', merchantId, livemode: true, state: 'processing', rev: 4 },
  ...{ machineVersion: 1, createdAt: ago(30), updatedAt: ago(12) },
  context: { amountMinor: 24_900, currency: 'EUR', amountReceived: '237440000', exception: null, asset: 'USDC' },
  possible: [
    { event: 'finalized', by: 'chain', operator: false, guards: [{ name: 'isEnough', holds: null }] },
    { event: 'stray_seen', by: 'chain', operator: false, guards: [] },
    { event: 'dismiss', by: 'operator', operator: true, guards: [{ name: 'needsAttention', holds: false }] },
  ],
  timers: [{ name: 'window', dueAt: ago(-18) }],
  jobs: [{ id: '12', task: 'sign-refund', runAt: ago(-1), attempts: 2, lastError: 'timeout' }],
  related: [
    { relation: 'payment_link', kind: 'payment_link', id: 'plink_06bt4m9x3kq7v5n2c8hd1wzrfe', state: 'active' },
  ],
  stuck: null,
  ...more,
})

export const actor = actorOf({})
export const stuckActor = actorOf({ stuck: { reason: 'dwell', since: ago(412) } })

export const transitions: readonly OpsTransition[] = [
  ['enough_seen', 'pending', 'processing', 'chain'],
  ['too_little_seen', 'pending', 'pending', 'chain'],
  ['asset_picked', 'pending', 'pending', 'customer'],
  ['create', null, 'pending', 'customer'],
].map(([event, from, to, type], n) => ({
  ...{ object: 'transition', id: `${paymentId}:${4 - n}`, kind: 'payment', actorId: paymentId, merchantId },
  ...{ rev: 4 - n, event: String(event), from: from ?? null, to: String(to), at: ago(12 + n * 6), reason: null },
  cause: { type: type as 'chain' | 'customer', id: type === 'chain' ? '8453' : null, name: null },
  context: { amountMinor: 24_900, currency: 'EUR', amountReceived: n === 0 ? '237440000' : n === 1 ? '1' : '0' },
}))

const DELIVERY = 'whd_06bt4m9x3kq7v5n2c8hd1wzrfe'
const uuidOf = (n: number) => `0193a000-0000-7000-8000-0000000000${n.toString().padStart(2, '0')}`
const attemptOf = (number: number, outcome: 'delivered' | 'http_error' | null, httpStatus: number | null) => ({
  ...{ number, outcome, httpStatus, startedAt: ago(10), durationMs: outcome === null ? null : 84 },
})

/** The same with what led to each, and what followed. */
export const story: readonly StoryStep[] = transitions.toReversed().map((transition, n) => ({
  ...{ object: 'story_step', id: transition.id, transition, source: null, attempt: null },
  ...{ requestId: n < 2 ? uuidOf(10 + n) : null, commandId: n < 2 ? uuidOf(20 + n) : null },
  transfers:
    n < 2
      ? []
      : [
          {
            ...{
              amount: n === 2 ? '1' : '237440000',
              chainId: 8453,
              network: 'Base',
              tokenAddress: `0x${'ab'.repeat(20)}`,
            },
            ...{ txHash: `0x${`${n}f`.repeat(32)}`, explorerUrl: null, minedAt: ago(12), counted: true },
            state: n === 2 ? 'final' : 'seen',
          },
        ],
  events:
    n === 1
      ? []
      : [
          {
            ...{
              id: uuidOf(30 + n),
              type: ['payment.created', '', 'payment.underpaid', 'payment.processing'][n] ?? '',
            },
            deliveries:
              n === 0
                ? []
                : [
                    {
                      ...{ id: DELIVERY, endpointId: 'whe_06bt4m9x3kq7v5n2c8hd1wzrfe' },
                      state: n === 2 ? 'delivered' : 'pending',
                      attempts:
                        n === 2
                          ? [attemptOf(1, 'http_error', 503), attemptOf(2, 'delivered', 200)]
                          : [attemptOf(1, 'http_error', 503), attemptOf(2, null, null)],
                    },
                  ],
          },
        ],
}))

export const preview: ActorPreview = {
  ...{ state: 'success', context: { ...actor.context, amountReceived: '249000000' }, events: ['payment.succeeded'] },
  timers: [{ name: 'window', dueAt: null }],
  jobs: [{ task: 'sign-refund', runAt: null }],
}

/** Actors of the other machines, each in a state that it leaves in an event. */
export const actorOfKind = (kind: MachineName): Actor => {
  const machine = machines.find(each => each.kind === kind)
  const [edge] = machine?.edges ?? []
  return actorOf({
    ...{ kind, state: edge?.to ?? 'active', rev: 2, timers: [], jobs: [], context: {} },
    possible: [{ event: edge?.events[0] ?? 'update', by: 'merchant', operator: false, guards: [] }],
  })
}

/** The path of such an actor. */
export const storyOfKind = (kind: MachineName): readonly StoryStep[] => {
  const machine = machines.find(each => each.kind === kind)
  const [edge] = machine?.edges ?? []
  const first = edge?.from ?? machine?.states[0]?.state ?? ''
  const steps = [
    { event: 'create', from: null, to: first },
    { event: edge?.events[0] ?? 'update', from: first, to: edge?.to ?? first },
  ]
  return steps.map(({ event, from, to }, n) => ({
    ...(story[0] as StoryStep),
    id: `${paymentId}:${n + 1}`,
    transition: { ...(transitions[0] as OpsTransition), kind, rev: n + 1, event, from, to, context: {} },
  }))
}

/** A part of the story of an actor with many revisions. */
export const longStory = (from: number, to: number): readonly StoryStep[] =>
  Array.from({ length: to - from + 1 }, (_, n) => ({
    ...(story[1] as StoryStep),
    id: `${paymentId}:${from + n}`,
    transition: { ...(transitions[2] as OpsTransition), rev: from + n },
  }))

/** The `n`-th of a server with many transitions. */
export const flowing = (n: number): OpsTransition => {
  const machine = machines[n % machines.length]
  const edge = machine?.edges[n % (machine.edges.length || 1)]
  const kind = machine?.kind ?? 'payment'
  const actorId = `${resources[kind].prefix}_06bt4m9x3kq7v5n2c8hd${String(n).padStart(6, '0')}`
  return {
    ...(transitions[0] as OpsTransition),
    ...{ id: `${actorId}:2`, kind, actorId, rev: 2, at: new Date().toISOString() },
    ...{ event: edge?.events[0] ?? 'update', from: edge?.from ?? 'active', to: edge?.to ?? 'active' },
  }
}

export const found: readonly FoundActor[] = [
  { kind: 'payment', id: paymentId, state: 'processing' },
  { kind: 'payment_link', id: 'plink_06bt4m9x3kq7v5n2c8hd1wzrfe', state: 'active' },
]
