import type { PaymentWithCrypto } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { AssetAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { Section } from '../shell/record.tsx'
import { useTexts } from '../shell/texts.ts'
import { usePaymentTexts } from './texts.ts'

type Crypto = NonNullable<PaymentWithCrypto['crypto']>
type Transfer = Crypto['transfers'][number]

/** The money that was seen on the chain for a payment. */
export const Transfers = ({ payment: { crypto } }: { readonly payment: PaymentWithCrypto }) => {
  const texts = usePaymentTexts()
  const { states } = useTexts()
  const { formats } = useReader()
  if (crypto === null || crypto.asset === null || crypto.decimals === null || crypto.transfers.length === 0)
    return (
      <Section title={texts.transfers}>
        <p class="quiet">{texts.noTransfers}</p>
      </Section>
    )
  const { asset, decimals, confirmationsRequired } = crypto
  const unit = { asset, decimals }
  const columns: readonly TableColumn<Transfer>[] = [
    {
      key: 'amount',
      head: texts.received,
      card: 1,
      cell: ({ amount }) => <AssetAmount amount={amount} {...unit} />,
    },
    {
      key: 'transaction',
      head: texts.transaction,
      card: 3,
      cell: ({ txHash }) => txHash !== null && <ShortHex value={txHash} what={texts.transaction} />,
    },
    {
      key: 'from',
      head: texts.from,
      card: 5,
      named: true,
      cell: ({ from }) => (from === null ? null : <ShortHex value={from} what={texts.from} />),
    },
    {
      key: 'confirmations',
      head: texts.confirmations,
      card: 2,
      cell: ({ confirmations, blockNumber, state }) => (
        <>
          {confirmationsRequired === null
            ? formats.count(confirmations)
            : states.confirmations(Math.min(confirmations, confirmationsRequired), confirmationsRequired)}
          <span class="table__under" title={texts.block(formats.count(blockNumber))}>
            {texts.transferStates[state]}
          </span>
        </>
      ),
    },
  ]
  return (
    <Section title={texts.transfers}>
      <Table
        label={texts.transfers}
        columns={columns}
        rows={crypto.transfers}
        keyOf={({ txHash, blockHash, logIndex }) => `${txHash ?? blockHash} ${logIndex}`}
        stateOf={({ state }) => (state === 'orphaned' ? 'ended' : undefined)}
      />
    </Section>
  )
}
