// Written by `bun run calls` from the OpenAPI document. A test fails if it is not up to date.

/** By operation: the method, the path, the parameters of the query. Other fields are sent in the body. */
export const opsCalls = {
  listMachines: 'GET /v1/ops/machines?window',
  getMachine: 'GET /v1/ops/machines/{kind}?window',
  getActor: 'GET /v1/ops/actors/{id}',
  listActorTransitions: 'GET /v1/ops/actors/{id}/transitions?limit&order&startingAfter',
  readActorStory: 'GET /v1/ops/actors/{id}/story?limit&order&startingAfter',
  previewEvent: 'POST /v1/ops/actors/{id}/preview',
  sendEvent: 'POST /v1/ops/actors/{id}/events',
  searchActors: 'GET /v1/ops/search?q',
  listTransitions: 'GET /v1/ops/transitions?limit&order&actor&event&kind&merchantId&startingAfter&state',
  streamTransitions: 'GET /v1/ops/transitions/stream?actor&event&kind&merchantId&state',
  listStuckActors: 'GET /v1/ops/stuck',
  listQueues: 'GET /v1/ops/queues',
  listChains: 'GET /v1/ops/chains',
  listWorkers: 'GET /v1/ops/workers',
  listWaitingEndpoints: 'GET /v1/ops/deliveries',
  listSigners: 'GET /v1/ops/signers',
  listDatabases: 'GET /v1/ops/database',
  listAudits: 'GET /v1/ops/audits?limit&order&startingAfter',
  startAudit: 'POST /v1/ops/audits',
  getAudit: 'GET /v1/ops/audits/{id}',
  createInspectorTicket: 'POST /v1/ops/tickets',
} as const

export type OpsCallName = keyof typeof opsCalls

/** What goes into a call, and what comes out of it. */
export type OpsCalls = {
  listMachines: {
    input: { readonly window?: '1h' | '24h' | '30d' | '7d' }
    output: MachineList
  }
  getMachine: {
    input: { readonly kind: string; readonly window?: '1h' | '24h' | '30d' | '7d' }
    output: MachineWithDefinition
  }
  getActor: {
    input: { readonly id: string }
    output: Actor
  }
  listActorTransitions: {
    input: {
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: OpsTransitionList
  }
  readActorStory: {
    input: {
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: StoryStepList
  }
  previewEvent: {
    input: { readonly id: string } & {
      readonly type: string
      readonly payload?: Readonly<Record<string, unknown>>
    }
    output: ActorPreview
  }
  sendEvent: {
    input: { readonly id: string } & {
      readonly type: string
      readonly reason: string
    }
    output: Actor
  }
  searchActors: {
    input: { readonly q?: string }
    output: FoundActorList
  }
  listTransitions: {
    input: {
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly actor?: string
      readonly event?: string
      readonly kind?:
        | 'credit_note'
        | 'customer'
        | 'delivery'
        | 'dispute'
        | 'document_series'
        | 'invoice'
        | 'payment'
        | 'payment_link'
        | 'plan'
        | 'refund'
        | 'subscription'
        | 'test_clock'
      readonly merchantId?: string
      readonly startingAfter?: string
      readonly state?: string
    }
    output: OpsTransitionPage
  }
  streamTransitions: {
    input: {
      readonly actor?: string
      readonly event?: string
      readonly kind?:
        | 'credit_note'
        | 'customer'
        | 'delivery'
        | 'dispute'
        | 'document_series'
        | 'invoice'
        | 'payment'
        | 'payment_link'
        | 'plan'
        | 'refund'
        | 'subscription'
        | 'test_clock'
      readonly merchantId?: string
      readonly state?: string
    }
    output: ReadableStream
  }
  listStuckActors: {
    input: object
    output: StuckActorList
  }
  listQueues: {
    input: object
    output: OpsQueueList
  }
  listChains: {
    input: object
    output: OpsChainList
  }
  listWorkers: {
    input: object
    output: OpsWorkerList
  }
  listWaitingEndpoints: {
    input: object
    output: OpsEndpointList
  }
  listSigners: {
    input: object
    output: OpsSignerList
  }
  listDatabases: {
    input: object
    output: OpsDatabaseList
  }
  listAudits: {
    input: { readonly limit?: number; readonly order?: 'asc' | 'desc'; readonly startingAfter?: string }
    output: OpsAuditList
  }
  startAudit: {
    input: object
    output: OpsAudit
  }
  getAudit: {
    input: { readonly id: string }
    output: OpsAudit
  }
  createInspectorTicket: {
    input: object
    output: InspectorTicket
  }
}

export type MachineList = {
  readonly object: 'list'
  readonly data: readonly Machine[]
  readonly has_more: boolean
}

export type MachineWithDefinition = {
  readonly object: 'machine'
  readonly id:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly kind:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly version: number
  readonly events: readonly string[]
  readonly states: readonly {
    readonly count: number
    readonly driven: boolean
    readonly dwellMs: {
      readonly p50: number
      readonly p95: number
    } | null
    readonly final: boolean
    readonly state: string
  }[]
  readonly edges: readonly {
    readonly count: number
    readonly events: readonly string[]
    readonly from: string
    readonly to: string
  }[]
  readonly definition: Readonly<Record<string, unknown>>
}

export type Actor = {
  readonly object: 'actor'
  readonly id: string
  readonly kind:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly merchantId: string
  readonly livemode: boolean
  readonly state: string
  readonly rev: number
  readonly machineVersion: number
  readonly context: Readonly<Record<string, unknown>>
  readonly possible: readonly {
    readonly by: 'chain' | 'customer' | 'merchant' | 'operator' | 'system' | 'timer'
    readonly event: string
    readonly guards: readonly {
      readonly holds: boolean | null
      readonly name: string
    }[]
    readonly operator: boolean
  }[]
  readonly timers: readonly {
    readonly dueAt: string
    readonly name: string
  }[]
  readonly jobs: readonly {
    readonly attempts: number
    readonly id: string
    readonly lastError: string | null
    readonly runAt: string
    readonly task: string
  }[]
  readonly related: readonly {
    readonly id: string
    readonly kind:
      | 'credit_note'
      | 'customer'
      | 'delivery'
      | 'dispute'
      | 'document_series'
      | 'invoice'
      | 'payment'
      | 'payment_link'
      | 'plan'
      | 'refund'
      | 'subscription'
      | 'test_clock'
    readonly relation:
      | 'credit_note'
      | 'customer'
      | 'delivery'
      | 'dispute'
      | 'document_series'
      | 'invoice'
      | 'payment'
      | 'payment_link'
      | 'refund'
      | 'subject'
    readonly state: string
  }[]
  readonly stuck: {
    readonly reason: 'dwell' | 'no_exit' | 'timer_failing'
    readonly since: string
  } | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type OpsTransitionList = {
  readonly object: 'list'
  readonly data: readonly OpsTransition[]
  readonly has_more: boolean
}

export type StoryStepList = {
  readonly object: 'list'
  readonly data: readonly StoryStep[]
  readonly has_more: boolean
}

export type ActorPreview = {
  readonly state: string
  readonly context: Readonly<Record<string, unknown>>
  readonly events: readonly string[]
  readonly timers: readonly {
    readonly dueAt: string | null
    readonly name: string
  }[]
  readonly jobs: readonly {
    readonly runAt: string | null
    readonly task: string
  }[]
}

export type FoundActorList = {
  readonly object: 'list'
  readonly data: readonly FoundActor[]
  readonly has_more: boolean
}

export type OpsTransitionPage = {
  readonly object: 'list'
  readonly data: readonly OpsTransition[]
  readonly has_more: boolean
  readonly continueAfter: string | null
}

export type StuckActorList = {
  readonly object: 'list'
  readonly data: readonly StuckActor[]
  readonly has_more: boolean
}

export type OpsQueueList = {
  readonly object: 'list'
  readonly data: readonly OpsQueue[]
  readonly has_more: boolean
}

export type OpsChainList = {
  readonly object: 'list'
  readonly data: readonly OpsChain[]
  readonly has_more: boolean
}

export type OpsWorkerList = {
  readonly object: 'list'
  readonly data: readonly OpsWorker[]
  readonly has_more: boolean
}

export type OpsEndpointList = {
  readonly object: 'list'
  readonly data: readonly OpsEndpoint[]
  readonly has_more: boolean
}

export type OpsSignerList = {
  readonly object: 'list'
  readonly data: readonly OpsSigner[]
  readonly has_more: boolean
}

export type OpsDatabaseList = {
  readonly object: 'list'
  readonly data: readonly OpsDatabase[]
  readonly has_more: boolean
}

export type OpsAuditList = {
  readonly object: 'list'
  readonly data: readonly OpsAudit[]
  readonly has_more: boolean
}

export type OpsAudit = {
  readonly id: string
  readonly status: 'clean' | 'failed' | 'findings' | 'running'
  readonly startedBy: {
    readonly id: string | null
    readonly type: 'command' | 'operator' | 'schedule'
  }
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly checks: readonly {
    readonly count: number
    readonly name: string
    readonly sample: string | null
    readonly status: 'clean' | 'failed' | 'findings'
  }[]
}

export type InspectorTicket = {
  readonly ticket: string
  readonly expiresIn: 60
}

export type Machine = {
  readonly object: 'machine'
  readonly id:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly kind:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly version: number
  readonly events: readonly string[]
  readonly states: readonly {
    readonly count: number
    readonly driven: boolean
    readonly dwellMs: {
      readonly p50: number
      readonly p95: number
    } | null
    readonly final: boolean
    readonly state: string
  }[]
  readonly edges: readonly {
    readonly count: number
    readonly events: readonly string[]
    readonly from: string
    readonly to: string
  }[]
}

export type OpsTransition = {
  readonly object: 'transition'
  readonly id: string
  readonly kind:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly actorId: string
  readonly merchantId: string | null
  readonly rev: number
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly at: string
  readonly cause: {
    readonly id: string | null
    readonly name: string | null
    readonly type: 'api_key' | 'chain' | 'customer' | 'member' | 'operator' | 'system' | 'timer'
  }
  readonly reason: string | null
  readonly context: Readonly<Record<string, unknown>> | null
}

export type StoryStep = {
  readonly object: 'story_step'
  readonly id: string
  readonly requestId: string | null
  readonly commandId: string | null
  readonly source: {
    readonly actorId: string | null
    readonly eventId: string
    readonly rev: number
    readonly type: string
  } | null
  readonly transition: OpsTransition
  readonly events: readonly {
    readonly deliveries: readonly {
      readonly attempts: readonly {
        readonly durationMs: number | null
        readonly httpStatus: number | null
        readonly number: number
        readonly outcome:
          | 'bad_response'
          | 'body_too_large'
          | 'connection_failed'
          | 'delivered'
          | 'dns_failed'
          | 'forbidden_address'
          | 'http_error'
          | 'lost'
          | 'not_signed'
          | 'redirect'
          | 'timeout'
          | 'tls_failed'
          | null
        readonly startedAt: string
      }[]
      readonly endpointId: string
      readonly id: string
      readonly state: string
    }[]
    readonly id: string
    readonly type: string
  }[]
  readonly attempt: {
    readonly durationMs: number | null
    readonly httpStatus: number | null
    readonly number: number
    readonly outcome:
      | 'bad_response'
      | 'body_too_large'
      | 'connection_failed'
      | 'delivered'
      | 'dns_failed'
      | 'forbidden_address'
      | 'http_error'
      | 'lost'
      | 'not_signed'
      | 'redirect'
      | 'timeout'
      | 'tls_failed'
      | null
    readonly startedAt: string
  } | null
  readonly transfers: readonly {
    readonly amount: string
    readonly chainId: number
    readonly counted: boolean
    readonly explorerUrl: string | null
    readonly minedAt: string | null
    readonly network: string
    readonly state: 'failed' | 'final' | 'orphaned' | 'seen' | 'sent'
    readonly tokenAddress: string | null
    readonly txHash: string | null
  }[]
}

export type FoundActor = {
  readonly kind:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly id: string
  readonly state: string
}

export type StuckActor = {
  readonly kind:
    | 'credit_note'
    | 'customer'
    | 'delivery'
    | 'dispute'
    | 'document_series'
    | 'invoice'
    | 'payment'
    | 'payment_link'
    | 'plan'
    | 'refund'
    | 'subscription'
    | 'test_clock'
  readonly id: string
  readonly state: string
  readonly since: string
  readonly reason: 'dwell' | 'no_exit' | 'timer_failing'
}

export type OpsQueue = {
  readonly task: string
  readonly ready: number
  readonly delayed: number
  readonly failed: number
  readonly oldestAgeMs: number
}

export type OpsChain = {
  readonly chainId: number
  readonly name: string
  readonly head: number | null
  readonly cursor: number | null
  readonly lagBlocks: number | null
  readonly lastBlockAt: string | null
  readonly readAt: string | null
  readonly stoppedAt: string | null
  readonly nodes: readonly {
    readonly head: number | null
    readonly label: string
    readonly lastError: string | null
    readonly latencyMs: number | null
    readonly state: 'behind' | 'healthy' | 'paused' | 'unknown'
  }[]
  readonly prices: readonly {
    readonly at: string | null
    readonly pair: string
    readonly rate: string | null
  }[]
}

export type OpsWorker = {
  readonly id: string
  readonly role: string
  readonly startedAt: string
  readonly heartbeatAt: string
  readonly version: string
}

export type OpsEndpoint = {
  readonly id: string
  readonly merchantId: string
  readonly livemode: boolean
  readonly host: string
  readonly status: 'disabled' | 'enabled'
  readonly disabledReason: 'by_merchant' | 'gone' | 'no_success' | null
  readonly due: number
  readonly oldestAgeMs: number
  readonly scheduled: number
  readonly retrying: number
  readonly retryingSince: string | null
  readonly lastOutcome:
    | 'bad_response'
    | 'body_too_large'
    | 'connection_failed'
    | 'delivered'
    | 'dns_failed'
    | 'forbidden_address'
    | 'http_error'
    | 'lost'
    | 'not_signed'
    | 'redirect'
    | 'timeout'
    | 'tls_failed'
    | null
  readonly lastHttpStatus: number | null
  readonly lastSuccessAt: string | null
}

export type OpsSigner = {
  readonly merchantId: string
  readonly chainId: number
  readonly network: string
  readonly address: string
  readonly status: 'off' | 'on' | 'on_hold' | 'removed'
  readonly asset: string | null
  readonly balance: string | null
  readonly openTransactions: number
  readonly unclearSince: string | null
  readonly waits: readonly {
    readonly count: number
    readonly reason:
      | 'by_hand'
      | 'fault'
      | 'no_answer'
      | 'no_funds'
      | 'no_gas'
      | 'nonce_ahead'
      | 'on_hold'
      | 'over_day_limit'
      | 'over_refund_limit'
      | 'refused'
      | 'unreadable_key'
      | 'unsettled'
    readonly since: string
  }[]
}

export type OpsDatabase = {
  readonly version: string
  readonly sizeBytes: number
  readonly connections: number
  readonly maxConnections: number
  readonly heldMs: number
  readonly transactions: readonly {
    readonly ageMs: number
    readonly pid: number
    readonly state: string
    readonly writing: boolean
  }[]
  readonly retention: readonly {
    readonly completedAt: string | null
    readonly dropped: number
    readonly heldBack: 'audit' | 'broken' | 'failed' | null
    readonly part: 'attempt_bodies' | 'deliveries' | 'history'
  }[]
  readonly disk: {
    readonly freeBytes: number
    readonly totalBytes: number
  } | null
}
