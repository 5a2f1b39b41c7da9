import type { Actor, OpsChain, OpsEndpoint, OpsSigner } from '../../api/ops-calls.ts'
import { Section } from '../../dashboard/shell/record.tsx'
import { useReader } from '../../parts/reader.ts'
import { endpointFailures } from '../health/endpoint-failures.ts'
import { FailureList } from '../health/failure-list.tsx'
import { chainFailures } from '../health/failures.ts'
import { signerFailures } from '../health/signer-failures.ts'
import type { Failure, Words } from '../health/words.ts'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { useMachine } from './story.ts'

type Surroundings = {
  readonly chains: readonly OpsChain[]
  readonly signers: readonly OpsSigner[]
  readonly endpoints: readonly OpsEndpoint[]
}

/** Failures of the server that concern an actor: those of its network, its refund signer and the endpoints of its shop. */
export const Hindrances = ({ actor }: { readonly actor: Actor }) => {
  const texts = useOpsTexts()
  const { formats, now } = useReader()
  const isDriven = useMachine(actor.kind)?.states.some(({ state, driven }) => driven && state === actor.state) ?? false
  const isSigned = isDriven ? actor.kind === 'refund' : hasUnsignedRefund(actor)
  const chainId = isDriven || isSigned ? actor.context.chainId : null
  const result = useOpsQuery(
    ['surroundings', chainId, isDriven, isSigned],
    async (call, signal): Promise<Surroundings> => {
      const none = { data: [] }
      const [chains, signers, endpoints] = await Promise.all([
        chainId == null || !isDriven ? none : call('listChains', {}, signal),
        chainId == null || !isSigned ? none : call('listSigners', {}, signal),
        call('listWaitingEndpoints', {}, signal),
      ])
      return { chains: chains.data, signers: signers.data, endpoints: endpoints.data }
    },
  ).value
  const failures = result.data ? hindrancesOf(actor, result.data, { texts, formats, now: now.value }) : []
  if (failures.length === 0) return null
  return (
    <Section title={texts.actor.hindrances} aside={texts.actor.hindrancesWhat}>
      <FailureList failures={failures} />
    </Section>
  )
}

/** Its customer waits for the refund, and asks for the payment. */
const hasUnsignedRefund = ({ kind, related }: Actor): boolean =>
  kind === 'payment' && related.some(other => other.kind === 'refund' && other.state === 'requires_signature')

const hindrancesOf = (actor: Actor, { chains, signers, endpoints }: Surroundings, words: Words): readonly Failure[] => {
  const { merchantId, livemode, context } = actor
  const ofShop = <Row extends { readonly merchantId: string }>(row: Row) => row.merchantId === merchantId
  const onChain = ({ chainId }: { readonly chainId: number }) => chainId === context.chainId
  return [
    ...chains.filter(onChain).flatMap(chain => chainFailures(chain, words)),
    ...signers.filter(each => ofShop(each) && onChain(each)).flatMap(each => signerFailures(each, words)),
    ...endpointFailures(
      endpoints.filter(ofShop).filter(each => each.livemode === livemode),
      words,
    ),
  ]
}
