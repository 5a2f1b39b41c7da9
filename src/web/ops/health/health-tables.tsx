import type { OpsEndpoint, OpsSigner } from '../../api/ops-calls.ts'
import { Section } from '../../dashboard/shell/record.tsx'
import { ShortHex } from '../../parts/address.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { AssetAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { clipped, Table } from '../../parts/table.tsx'
import { useOpsTexts } from '../shell/texts.ts'
import { isFailing, lastResultOf, wasDisabled } from './endpoint-failures.ts'
import { hasNoGas } from './signer-failures.ts'

/** Endpoints that fail, or have deliveries to send. */
export const EndpointTable = ({ endpoints }: { readonly endpoints: readonly OpsEndpoint[] }) => {
  const { endpoints: texts } = useOpsTexts()
  const { formats } = useReader()
  if (endpoints.length === 0) return null
  return (
    <div id="endpoints">
      <Section title={texts.title} aside={texts.what}>
        <Table
          label={texts.title}
          rows={endpoints}
          keyOf={({ id }) => id}
          columns={[
            { key: 'host', head: texts.host, card: 1, cell: ({ host }) => clipped(host) },
            { key: 'state', head: texts.state, card: 2, cell: endpoint => <EndpointState endpoint={endpoint} /> },
            {
              ...{ key: 'shop', head: texts.shop, card: 3 },
              cell: ({ merchantId }) => <ShortHex value={merchantId} what={texts.shop} />,
            },
            {
              ...{ key: 'result', head: texts.result, card: 4, named: true },
              cell: endpoint => (endpoint.lastOutcome === null ? null : <code>{lastResultOf(endpoint)}</code>),
            },
            {
              ...{ key: 'success', head: texts.success, card: 5, named: true },
              cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? null : <Moment at={lastSuccessAt} short />),
            },
            {
              ...{ key: 'waiting', head: texts.waiting, card: 7, named: true, end: true },
              cell: ({ due, scheduled }) => formats.count(due + scheduled),
            },
          ]}
        />
      </Section>
    </div>
  )
}

const EndpointState = ({ endpoint }: { readonly endpoint: OpsEndpoint }) => {
  const { endpoints: texts } = useOpsTexts()
  if (wasDisabled(endpoint))
    return (
      <Badge shape="bad" tone="bad">
        {texts.disabled}
      </Badge>
    )
  if (isFailing(endpoint))
    return (
      <Badge shape="warn" tone="warn">
        {texts.failing}
      </Badge>
    )
  return <Badge shape="next">{texts.sending}</Badge>
}

/** The keys that sign refunds, with what they have for gas. */
export const SignerTable = ({ signers }: { readonly signers: readonly OpsSigner[] }) => {
  const { signers: texts, health } = useOpsTexts()
  const { formats } = useReader()
  if (signers.length === 0) return null
  return (
    <div id="signers">
      <Section title={texts.title} aside={texts.what}>
        <Table
          label={texts.title}
          rows={signers}
          keyOf={({ merchantId, address }) => merchantId + address}
          columns={[
            {
              ...{ key: 'address', head: texts.address, card: 1 },
              cell: ({ address }) => <ShortHex value={address} what={texts.address} />,
            },
            { key: 'state', head: texts.state, card: 2, cell: signer => <SignerState signer={signer} /> },
            { key: 'network', head: texts.network, card: 3, cell: ({ network }) => network },
            {
              ...{ key: 'shop', head: texts.shop, card: 4 },
              cell: ({ merchantId }) => <ShortHex value={merchantId} what={texts.shop} />,
            },
            {
              ...{ key: 'waits', head: texts.waits, card: 5, named: true },
              cell: ({ waits }) =>
                waits.length === 0
                  ? null
                  : waits.map(({ reason, count }) => `${formats.count(count)} ${texts.reasons[reason]}`).join(', '),
            },
            {
              ...{ key: 'balance', head: texts.balance, card: 7, named: true, end: true },
              cell: ({ balance, asset }) =>
                balance === null || asset === null ? (
                  health.unknown
                ) : (
                  <AssetAmount amount={balance} asset={asset} decimals={18} />
                ),
            },
          ]}
        />
      </Section>
    </div>
  )
}

const SignerState = ({ signer }: { readonly signer: OpsSigner }) => {
  const { signers: texts } = useOpsTexts()
  if (hasNoGas(signer))
    return (
      <Badge shape="bad" tone="bad">
        {texts.noGas}
      </Badge>
    )
  const { status } = signer
  if (status === 'on')
    return (
      <Badge shape="done" tone="good">
        {texts.states.on}
      </Badge>
    )
  return (
    <Badge shape={status === 'on_hold' ? 'warn' : 'off'} tone={status === 'on_hold' ? 'warn' : 'quiet'}>
      {texts.states[status]}
    </Badge>
  )
}
