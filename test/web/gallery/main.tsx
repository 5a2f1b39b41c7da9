import { signal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { useState } from 'preact/hooks'
import { FullAddress, ShortHex } from '../../../src/web/parts/address.tsx'
import { Badge } from '../../../src/web/parts/badge.tsx'
import { BarList } from '../../../src/web/parts/bar-list.tsx'
import { chartFormat } from '../../../src/web/parts/chart-format.ts'
import { Combobox, type ComboboxOption } from '../../../src/web/parts/combobox.tsx'
import { CopyButton } from '../../../src/web/parts/copy.tsx'
import { Dialog } from '../../../src/web/parts/dialog.tsx'
import { Empty } from '../../../src/web/parts/empty.tsx'
import { ErrorNote } from '../../../src/web/parts/error-note.tsx'
import { FormField, TextField } from '../../../src/web/parts/field.tsx'
import { Icon } from '../../../src/web/parts/icon.tsx'
import { Menu } from '../../../src/web/parts/menu.tsx'
import { Moment } from '../../../src/web/parts/moment.tsx'
import { AssetAmount, FiatAmount } from '../../../src/web/parts/money.tsx'
import { NoteBox } from '../../../src/web/parts/note.tsx'
import { pageReaderOf, ReaderContext } from '../../../src/web/parts/reader.ts'
import { Loading, SkeletonRows } from '../../../src/web/parts/skeleton.tsx'
import { StateBadge, type StatePath, StateStrip } from '../../../src/web/parts/state-strip.tsx'
import { Table } from '../../../src/web/parts/table.tsx'
import { Tabs } from '../../../src/web/parts/tabs.tsx'
import { TimeChart } from '../../../src/web/parts/time-chart.tsx'
import { showToast, Toasts } from '../../../src/web/parts/toast.tsx'

const given = new URLSearchParams(location.search)
const locale = given.get('lang') === 'de' ? 'de' : 'en'
const theme = given.get('theme')
if (theme) document.documentElement.dataset.theme = theme
const now = new Date('2026-11-25T14:36:00.000Z')
const reader = pageReaderOf(locale, signal(now))

const chosen = signal('')
const retry = () => {
  chosen.value = 'Retried'
}

const Section = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <section aria-label={name}>
    <h2>{name}</h2>
    {children}
  </section>
)

const words = ['Waiting', 'Confirming', 'Paid']

const paths = {
  waiting: { words, at: 0 },
  confirming: { words, at: 1, tone: 'info' },
  paid: { words, at: 2, shape: 'done', tone: 'good' },
  underpaid: { words, at: 0, word: 'Underpaid', shape: 'warn', tone: 'warn' },
  overpaid: { words, at: 2, word: 'Overpaid', shape: 'warn', tone: 'warn' },
  failed: { words, at: 1, word: 'Failed', shape: 'bad', tone: 'bad' },
  expired: { words, at: 0, word: 'Expired', shape: 'over', tone: 'quiet' },
  canceled: { words, at: 0, word: 'Canceled', shape: 'off', tone: 'quiet' },
} satisfies Record<string, StatePath>

const Buttons = () => (
  <Section name="Buttons">
    <div class="beside">
      <button type="button" class="button button--primary">
        Create payment link
      </button>
      <button type="button" class="button">
        Export
      </button>
      <button type="button" class="button button--bare">
        Cancel
      </button>
      <button type="button" class="button button--danger">
        Revoke key
      </button>
      <button type="button" class="button button--danger-full">
        Revoke key
      </button>
      <button type="button" class="button" aria-disabled="true">
        Canceling…
      </button>
      <button type="button" class="button button--small">
        Filters
      </button>
    </div>
  </Section>
)

const States = () => (
  <Section name="States">
    <StateStrip label="State: waiting" path={paths.waiting} notes={['12:12:07']} />
    <StateStrip label="State: confirming" path={{ words, at: 1 }} notes={['12:12:07', '7 of 12 confirmations']} />
    <StateStrip label="State: paid" path={paths.paid} notes={['12:12:07', '12:24:52', '12:25:20']} />
    <StateStrip label="State: failed" path={paths.failed} />
    <div class="beside">
      {Object.entries(paths).map(([name, path]) => (
        <StateBadge key={name} path={path} />
      ))}
    </div>
    <div class="beside">
      <Badge shape="next">To do</Badge>
      <Badge shape="now" tone="info">
        Sending
      </Badge>
      <Badge shape="done" tone="good">
        Delivered
      </Badge>
      <Badge shape="warn" tone="warn">
        Retrying
      </Badge>
      <Badge shape="bad" tone="bad">
        Failed
      </Badge>
      <Badge shape="info" tone="test">
        Test
      </Badge>
    </div>
  </Section>
)

const Fields = () => (
  <Section name="Fields">
    <TextField label="Title" hint="Customers see it on the payment page." value="Brass desk lamp" maxLength={200} />
    <TextField
      label="E-mail"
      error="Enter an e-mail address, like anna@example.com."
      value="anna@"
      type="email"
      optional
    />
    <FormField label="Currency">
      {props => (
        <select class="input" {...props}>
          <option>EUR</option>
          <option>USD</option>
        </select>
      )}
    </FormField>
    <Assets />
  </Section>
)

const networks: readonly ComboboxOption[] = [
  'Arbitrum One',
  'Base',
  'BNB Smart Chain',
  'Ethereum',
  'Optimism',
  'Polygon',
].map((label, n) => ({ key: label, label, detail: n % 2 ? 'USDC' : 'USDC, USDT' }))

const Assets = () => {
  const [text, setText] = useState('')
  const fitting = networks.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
  return (
    <Combobox label="Network" text={text} onText={setText} options={fitting} onSelect={({ label }) => setText(label)} />
  )
}

const Values = () => (
  <Section name="Values">
    <p>
      <FiatAmount minor={4_900} currency="USD" /> · <FiatAmount minor={1_234_567_89} currency="EUR" /> ·{' '}
      <AssetAmount amount="49000000" asset="USDC" decimals={6} network="Base" />
    </p>
    <p>
      <Moment at="2026-11-25T14:32:05.000Z" relative />
    </p>
    <p>
      <ShortHex value="pay_06bt4m9x3kq7v5n2c8hd1wzrfe" what="the payment ID" /> ·{' '}
      <ShortHex value="0x738A474F518EF6ebAc70682A1C00E7D132A48E1e" what="the address" href="#" />
    </p>
    <FullAddress value="0x738A474F518EF6ebAc70682A1C00E7D132A48E1e" />
    <div>
      <CopyButton value="sk_test_1" what="the key">
        Copy key
      </CopyButton>
    </div>
  </Section>
)

const Notes = () => (
  <Section name="Notes">
    <NoteBox title="Already sent it?">It is not lost. We keep watching the address.</NoteBox>
    <NoteBox
      title="This key is shown once"
      tone="warn"
      actions={
        <button type="button" class="button">
          Copy key
        </button>
      }
    >
      Store it where your server can read it.
    </NoteBox>
    <ErrorNote
      failure={{ code: 'chain_unavailable', requestId: '0193a000-0000-7000-8000-00000000002a', retryAfterS: 30 }}
      onRetry={retry}
    />
    <NoteBox title="This payment was paid in the meantime, so it cannot be canceled." tone="bad" />
  </Section>
)

const money = chartFormat('money', reader, 'EUR')
const days = Array.from({ length: 30 }, (_, n) => ({
  ...{ key: String(n), label: `${n + 1} Nov`, name: `${n + 1} November`, isPartial: n === 29 },
  ...{ value: n === 12 ? null : 1_000 * (n + 1), second: 500 * (30 - n) },
}))

const Charts = () => (
  <Section name="Charts">
    <TimeChart
      label="Money in by day"
      summary="Highest: 30 November, €300.00."
      kind="bars"
      points={days.map(({ second: _, ...day }) => day)}
      format={money}
      none="no value"
    />
    <TimeChart
      label="Compared"
      summary="Highest: 30 November, €300.00."
      kind="lines"
      points={days}
      format={money}
      names={['These days', 'Before']}
      none="no value"
      tall
    />
    <BarList
      label="Money in by asset"
      bars={[
        { key: 'USDC', name: 'USDC', value: 6_100, text: '€61.00', note: '61%' },
        { key: 'EURC', name: 'EURC', value: 3_900, text: '€39.00', note: '39%' },
      ]}
    />
  </Section>
)

const Overlays = () => {
  const [open, setOpen] = useState<'refund' | 'secret'>()
  const [kept, setKept] = useState(false)
  const close = () => setOpen(undefined)
  return (
    <Section name="Overlays">
      <div class="beside">
        <button type="button" class="button" onClick={() => setOpen('refund')}>
          Refund…
        </button>
        <button type="button" class="button" onClick={() => setOpen('secret')}>
          Create key…
        </button>
        <Menu
          label="More actions"
          class="icon-button"
          items={[
            { label: 'Duplicate', onSelect: () => (chosen.value = 'Duplicate') },
            { label: 'Download as CSV', onSelect: () => (chosen.value = 'Download') },
            { label: 'Deactivate', onSelect: () => (chosen.value = 'Deactivate'), disabled: true },
            { label: 'Delete', onSelect: () => (chosen.value = 'Delete'), danger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
        <output>{chosen}</output>
        <button
          type="button"
          class="button"
          onClick={() => showToast('Payment link created', { label: 'Open', onSelect: () => (chosen.value = 'Open') })}
        >
          Say so
        </button>
      </div>
      <Dialog
        open={open === 'refund'}
        title="Refund €49.00"
        lead="The customer gets USDC on Base."
        onClose={close}
        footer={
          <>
            <button type="button" class="button" onClick={close}>
              Cancel
            </button>
            <button type="button" class="button button--primary" onClick={close}>
              Start refund of €49.00
            </button>
          </>
        }
      >
        <TextField label="Amount" value="49.00" inputMode="decimal" />
        <Assets />
      </Dialog>
      <Dialog
        open={open === 'secret'}
        title="Your key"
        dismissible={false}
        onClose={close}
        footer={
          <button type="button" class="button button--primary" aria-disabled={!kept} onClick={() => kept && close()}>
            Close
          </button>
        }
      >
        <CopyButton value="sk_test_1" what="the key">
          Copy key
        </CopyButton>
        <label class="check">
          <input type="checkbox" checked={kept} onInput={event => setKept(event.currentTarget.checked)} />
          <span>I have stored it</span>
        </label>
      </Dialog>
    </Section>
  )
}

const Panels = () => {
  const [tab, setTab] = useState('attempts')
  const tabs = [
    { key: 'attempts', label: 'Attempts', count: 3 },
    { key: 'request', label: 'Request' },
    { key: 'response', label: 'Response' },
  ]
  return (
    <Section name="Tabs">
      <Tabs label="Delivery" tabs={tabs} selected={tab} onSelect={setTab}>
        <p>Panel of {tab}</p>
      </Tabs>
    </Section>
  )
}

type Sale = {
  readonly id: string
  readonly who: string
  readonly minor: number
  readonly path: StatePath
  readonly ended?: boolean
}

const sales: readonly Sale[] = [
  { id: 'pay_1', who: 'mia.koch@posteo.de', minor: 4_900, path: paths.waiting },
  { id: 'pay_2', who: 'j.okafor@studio-okafor.com', minor: 12_800, path: paths.confirming },
  { id: 'pay_3', who: 'claire@maison-aubert.fr', minor: 34_900, path: paths.paid },
  { id: 'pay_4', who: 'no.reply.42@proton.me', minor: 6_400, path: paths.expired, ended: true },
]

const Lists = () => (
  <Section name="Lists">
    <Table
      label="Payments"
      rows={sales}
      keyOf={({ id }) => id}
      stateOf={({ ended }) => (ended ? 'ended' : undefined)}
      columns={[
        { key: 'status', head: 'Status', card: 2, cell: ({ path }) => <StateBadge path={path} /> },
        {
          key: 'who',
          head: 'Customer',
          card: 3,
          cell: ({ id, who }) => (
            <a class="open" href={`#${id}`}>
              {who}
            </a>
          ),
        },
        { key: 'time', head: 'Created', card: 6, cell: () => <Moment at="2026-11-25T14:32:05.000Z" short relative /> },
        {
          key: 'amount',
          head: 'Amount',
          card: 1,
          end: true,
          cell: ({ minor }) => <FiatAmount minor={minor} currency="EUR" />,
        },
      ]}
    />
    <Empty
      title="No payments yet"
      action={
        <button type="button" class="button button--primary">
          Create payment link
        </button>
      }
    >
      A payment appears here when a customer opens one of your payment links.
    </Empty>
    <Loading skeleton={<SkeletonRows rows={3} />} onRetry={() => (chosen.value = 'Retried')} />
  </Section>
)

render(
  <ReaderContext.Provider value={reader}>
    <main>
      <h1>Parts</h1>
      <Buttons />
      <States />
      <Fields />
      <Values />
      <Notes />
      <Overlays />
      <Panels />
      <Charts />
      <Lists />
    </main>
    <Toasts />
  </ReaderContext.Provider>,
  document.body,
)
