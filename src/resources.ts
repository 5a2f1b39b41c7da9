/**
 * The resources of the API, one row each, in the order of the API reference. Prefixes of IDs, tables that can be listed,
 * scopes, event types, sections of the reference and example IDs are derived from this table: a new resource begins with a
 * row here.
 */
type Row = {
  /** Its IDs begin with it: `pay_…`. Null: its IDs are plain UUIDs. */
  readonly prefix?: string | null
  /** Number at the end of its ID in examples. */
  readonly example?: number
  /**
   * Its table in the database, if it has a list that is ordered by `seq`: the rows have `merchant_id`, `livemode` and `seq`.
   * See lock_list() in sql/101-actors-functions.sql.
   */
  readonly table?: string
  /** The rows are actors: there is a kind with the name of this row. */
  readonly isMachine?: true
  /** Segment of its URLs. */
  readonly path: string
  /** Its section of the API reference. `isShared`: API keys and members have the same endpoints. */
  readonly section?: { readonly name: string; readonly description: string; readonly isShared?: true }
  /** Scopes of API keys that it adds. Those that end with `:read` only read. */
  readonly scopes?: readonly string[]
  /** Types of the events about it. An endpoint receives only the types that it lists. */
  readonly events?: readonly string[]
  /** Scope that an API key needs to read these events. By default every key that reads events reads them. */
  readonly eventsScope?: string
}

export const resources = {
  payment_link: {
    prefix: 'plink',
    example: 2,
    table: 'payment_links',
    isMachine: true,
    path: 'payment-links',
    section: {
      name: 'Payment links',
      description: 'A payment link asks for a fixed amount. Customers pay on its page.',
      isShared: true,
    },
    scopes: ['payment_links:write'],
  },
  payment: {
    prefix: 'pay',
    example: 3,
    table: 'payments',
    isMachine: true,
    path: 'payments',
    section: {
      name: 'Payments',
      description:
        'A payment is created when a customer opens a payment link. It has a status, a deposit address and the transfers to it.',
      isShared: true,
    },
    scopes: ['payments:read'],
    events: [
      'payment.created',
      'payment.processing',
      'payment.underpaid',
      'payment.succeeded',
      'payment.failed',
      'payment.expired',
      'payment.canceled',
      'payment.late',
    ],
  },
  refund: {
    prefix: 're',
    example: 4,
    table: 'refunds',
    isMachine: true,
    path: 'refunds',
    section: {
      name: 'Refunds',
      description: 'A refund returns money of a payment to the customer.',
      isShared: true,
    },
    scopes: ['refunds:write'],
    events: ['refund.processed', 'refund.failed', 'refund.canceled'],
  },
  dispute: {
    prefix: 'dp',
    example: 5,
    table: 'disputes',
    isMachine: true,
    path: 'disputes',
    section: {
      name: 'Disputes',
      description:
        'A dispute simulates a chargeback: a customer disputes a payment with their bank. In test mode only.',
      isShared: true,
    },
    scopes: ['disputes:write'],
    events: ['dispute.opened', 'dispute.resolved'],
  },
  customer: {
    prefix: 'cus',
    example: 14,
    table: 'customers',
    isMachine: true,
    path: 'customers',
    section: {
      name: 'Customers',
      description:
        'A customer is a person or company that pays you. The payments of an e-mail address belong to one customer.',
      isShared: true,
    },
    scopes: ['billing:read', 'billing:write'],
    events: ['customer.created', 'customer.merged', 'customer.erased'],
    eventsScope: 'billing:read',
  },
  credit_entry: { prefix: 'ce', example: 15, path: 'credit' },
  invoice: {
    prefix: 'inv',
    example: 16,
    table: 'invoices',
    isMachine: true,
    path: 'invoices',
    section: {
      name: 'Invoices',
      description:
        'An invoice asks a customer for the sum of its lines. It is a draft until it is finalized, which gives it its number and a page on which it can be paid.',
      isShared: true,
    },
    events: [
      'invoice.created',
      'invoice.finalized',
      'invoice.payment_received',
      'invoice.paid',
      'invoice.overdue',
      'invoice.reminder',
      'invoice.voided',
      'invoice.uncollectible',
    ],
    eventsScope: 'billing:read',
  },
  plan: {
    prefix: 'plan',
    example: 21,
    table: 'plans',
    isMachine: true,
    path: 'plans',
    section: {
      name: 'Plans',
      description:
        'A plan is what customers subscribe to: a price for each period, and the terms. Terms never change; only texts and metadata do.',
      isShared: true,
    },
  },
  subscription: {
    prefix: 'sub',
    example: 20,
    table: 'subscriptions',
    isMachine: true,
    path: 'subscriptions',
    section: {
      name: 'Subscriptions',
      description:
        'A subscription invoices a customer for every period. Decide by `access.granted` alone whether to serve the customer.',
      isShared: true,
    },
    events: [
      'subscription.created',
      'subscription.activated',
      'subscription.trial_ending',
      'subscription.renewed',
      'subscription.past_due',
      'subscription.updated',
      'subscription.paused',
      'subscription.resumed',
      'subscription.canceled',
      'subscription.expired',
      'subscription.completed',
    ],
    eventsScope: 'billing:read',
  },
  credit_note: {
    prefix: 'cn',
    example: 18,
    table: 'credit_notes',
    isMachine: true,
    path: 'credit-notes',
    section: {
      name: 'Credit notes',
      description:
        'A credit note takes back all or a part of an invoice. It reduces what is due; what was paid becomes credit of the customer or is refunded.',
      isShared: true,
    },
    events: ['credit_note.issued'],
    eventsScope: 'billing:read',
  },
  // The counters of the numbers of documents. They have no endpoints.
  document_series: {
    prefix: 'series',
    example: 17,
    table: 'document_series',
    isMachine: true,
    path: 'document-series',
  },
  test_clock: {
    prefix: 'clk',
    example: 19,
    table: 'test_clocks',
    isMachine: true,
    path: 'test-clocks',
    section: {
      name: 'Test clocks',
      description:
        'A test clock is the time of the invoices of its customers. Advance it to see in seconds what takes months. In test mode only.',
    },
  },
  event: {
    prefix: null,
    example: 7,
    table: 'events',
    path: 'events',
    section: {
      name: 'Events',
      description: 'Events record changes, in order. Webhooks deliver them; you can also read them here.',
      isShared: true,
    },
  },
  checkout: {
    path: 'checkout',
    section: { name: 'Checkout', description: 'Endpoints for customers. The page of a payment link uses them.' },
  },
  invoice_page: {
    path: 'invoice-pages',
    section: {
      name: 'Invoice pages',
      description: 'Endpoints for the customers of invoices, on the page of an invoice.',
    },
  },
  subscription_page: {
    path: 'subscription-pages',
    section: {
      name: 'Subscription pages',
      description: 'Endpoints for the customers of plans and subscriptions, on the pages of both.',
    },
  },
  claim: {
    path: 'claims',
    section: { name: 'Refund claims', description: 'Page on which a customer enters the address for a refund.' },
  },
  account: {
    path: 'auth',
    section: {
      name: 'Accounts and sessions',
      description:
        'Sign-up, sign-in, passwords and multi-factor authentication. A sign-in returns an access token and sets a refresh cookie.',
    },
  },
  session: { prefix: 'session', example: 11, path: 'sessions' },
  merchant: { prefix: 'mer', example: 1, path: 'merchants' },
  api_key: {
    prefix: 'key',
    example: 8,
    path: 'api-keys',
    section: { name: 'API keys', description: 'Your server authenticates with an API key.' },
  },
  webhook_endpoint: {
    prefix: 'whe',
    example: 12,
    table: 'webhook_endpoints',
    path: 'webhook-endpoints',
    section: { name: 'Webhook endpoints', description: 'A webhook endpoint is a URL that receives events.' },
  },
  delivery: {
    prefix: 'whd',
    example: 13,
    table: 'deliveries',
    isMachine: true,
    path: 'deliveries',
    section: {
      name: 'Webhook deliveries',
      description: 'A delivery sends one event to one webhook endpoint, in one or more attempts.',
    },
  },
  stream: {
    path: 'stream',
    section: { name: 'Stream', description: 'Changes of a merchant, as they happen.' },
  },
  settings: {
    path: 'settings',
    section: {
      name: 'Settings',
      description: 'Name, branding, receiving addresses and payment policies of a merchant.',
    },
  },
  analytics: {
    path: 'analytics',
    section: { name: 'Analytics', description: 'Counts and sums of payments over time.' },
  },
  export: {
    path: 'exports',
    section: { name: 'Exports', description: 'An export is a file with all records of a list in a range of time.' },
  },
  balance: {
    path: 'balances',
    section: { name: 'Balances', description: 'Money at deposit addresses that has not been collected yet.' },
  },
  collection: {
    path: 'collections',
    section: {
      name: 'Collections',
      description: 'A collection moves money from deposit addresses to your receiving address.',
    },
  },
  recovery_file: {
    path: 'recovery-file',
    section: {
      name: 'Recovery file',
      description: 'File with which you can find and collect the money without this server.',
    },
  },
  member: {
    // The ID of its account.
    prefix: 'usr',
    example: 6,
    path: 'members',
    section: { name: 'Members', description: 'Accounts that have access to a merchant.' },
  },
  invite: {
    prefix: 'invite',
    example: 9,
    path: 'invites',
    section: { name: 'Invites', description: 'An invite is a link that adds a member.' },
  },
  operator: {
    path: 'ops',
    section: {
      name: 'Operators',
      description:
        'State machines, queues, chains and workers of the server, for its operators. They see the records of all merchants, without e-mail addresses, names, secrets and metadata.',
    },
  },
  security_event: {
    prefix: null,
    example: 10,
    path: 'audit-log',
    section: {
      name: 'Audit log',
      description: 'Log of sensitive changes: who made them, when, and from which IP address.',
    },
  },
} as const satisfies Readonly<Record<string, Row>>

type Resources = typeof resources

/** The names of the rows that have such a fact. */
type Having<Fact> = { [Name in ResourceName]: Resources[Name] extends Fact ? Name : never }[ResourceName]

type ResourceName = keyof Resources

export type ListedName = Having<{ readonly table: string; readonly prefix: string | null }>
export type MachineName = Having<{ readonly isMachine: true }>
/** Resources that events are about. */
export type PublishedName = Having<{ readonly events: readonly string[] }>
export type ExampleName = Having<{ readonly example: number }>

export type IdPrefix = Extract<Resources[ExampleName]['prefix'], string>
export type ListedTable = Resources[ListedName]['table']
export type Scope = Resources[Having<{ readonly scopes: readonly string[] }>]['scopes'][number]
export type EventType = Resources[PublishedName]['events'][number]

/** `object` of the records of machines in the API, by kind. Without those that have no endpoints. */
export const machineObjects: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(resources).flatMap(([name, row]) =>
    'isMachine' in row && 'section' in row ? [[name, name === 'delivery' ? 'webhook_delivery' : name]] : [],
  ),
)

export const machineNames = (Object.keys(resources) as ResourceName[]).filter(
  (name): name is MachineName => 'isMachine' in resources[name],
)

export const isMachineName = (name: string): name is MachineName => (machineNames as readonly string[]).includes(name)

/** The rows, without the names of their facts. */
export const resourceRows: readonly Row[] = Object.values(resources)

export const exampleNames = (Object.keys(resources) as ResourceName[]).filter(
  (name): name is ExampleName => 'example' in resources[name],
)

export const scopes = resourceRows.flatMap(({ scopes = [] }) => scopes as readonly Scope[])
export const eventTypes = resourceRows.flatMap(({ events = [] }) => events as readonly EventType[])

/** Whether an API key with these scopes has a permission. A scope that writes includes the one that reads the same. */
export const isGranted = (granted: readonly (Scope | '*')[], wanted: string): boolean =>
  granted.some(scope => scope === '*' || scope === wanted || scope.replace(/:write$/, ':read') === wanted)

/** The names of resources whose events a key with these scopes cannot read. */
export const hiddenFrom = (granted: readonly (Scope | '*')[]): readonly string[] =>
  Object.entries<Row>(resources).flatMap(([name, { eventsScope }]) =>
    eventsScope === undefined || isGranted(granted, eventsScope) ? [] : [name],
  )

/** Sent on request to one endpoint. Endpoints cannot list it. */
export const testEventType = 'webhook_endpoint.test'
