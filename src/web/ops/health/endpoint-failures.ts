import type { OpsEndpoint } from '../../api/ops-calls.ts'
import type { Failure, Words } from './words.ts'

/** More are one failure: the list below has them all. */
const MOST_NAMED = 3

/** Endpoints that take no events. Shops have to repair them, and see the same in their dashboard. */
export const endpointFailures = (endpoints: readonly OpsEndpoint[], words: Words): readonly Failure[] => [
  ...disabledOnes(endpoints.filter(wasDisabled), words),
  ...failingOnes(endpoints.filter(isFailing), words),
]

/** By the server, because it took nothing. */
export const wasDisabled = ({ disabledReason }: OpsEndpoint): boolean =>
  disabledReason === 'gone' || disabledReason === 'no_success'

/** Nothing was delivered since the first of the events that are sent again. */
export const isFailing = ({ status, retryingSince, lastSuccessAt }: OpsEndpoint): boolean =>
  status === 'enabled' &&
  retryingSince !== null &&
  (lastSuccessAt === null || Date.parse(lastSuccessAt) < Date.parse(retryingSince))

const path = '/ops#endpoints'

const disabledOnes = (found: readonly OpsEndpoint[], { texts: { health }, formats }: Words): readonly Failure[] =>
  found.length > MOST_NAMED
    ? [
        {
          ...{ tone: 'warn', path, what: health.endpointsDisabledWhat },
          title: health.endpointsDisabled(formats.count(found.length)),
        },
      ]
    : found.map(({ host, merchantId, disabledReason }) => ({
        ...{ tone: 'warn', path, title: health.endpointDisabled(host) },
        what: (disabledReason === 'gone' ? health.endpointGoneWhat : health.endpointDisabledWhat)(merchantId),
      }))

const failingOnes = (found: readonly OpsEndpoint[], { texts: { health }, formats, now }: Words): readonly Failure[] =>
  found.length > MOST_NAMED
    ? [
        {
          ...{ tone: 'warn', path, what: health.endpointsFailWhat },
          title: health.endpointsFail(formats.count(found.length)),
        },
      ]
    : found.map(endpoint => ({
        ...{ tone: 'warn', path, what: health.endpointFailsWhat(lastResultOf(endpoint), endpoint.merchantId) },
        title: health.endpointFails(endpoint.host, formats.listed(endpoint.retryingSince ?? now, now)),
      }))

/** The last result in the words of the API: `http_error 503`. */
export const lastResultOf = ({ lastOutcome, lastHttpStatus }: OpsEndpoint): string =>
  [lastOutcome, lastHttpStatus].filter(part => part !== null).join(' ')
