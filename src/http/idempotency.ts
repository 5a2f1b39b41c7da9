import { createHash } from 'node:crypto'
import type { Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { Refusal, refuse } from '../errors.ts'
import type { HeaderFields } from '../pages/answer.ts'
import {
  findStoredAnswer,
  type KeyedRequest,
  type NewAnswer,
  type StoredAnswer,
  storeAnswer,
  storedAnswerRow,
} from '../queries/idempotency-keys.ts'
import { JSON_TYPE } from './answer.ts'
import type { Api } from './api.ts'
import type { Answer } from './route.ts'

/** The parts of a request that `answerIdempotently` needs. The routes of `surfaces.ts` provide them. */
export type IdempotentCall = {
  readonly headers: Headers
  readonly pattern: string
  readonly params: Readonly<Record<string, string>>
  /** As it was sent: after a transformation, two different requests could be equal. */
  readonly body: unknown
  /** Undefined for a request of a member about one object, which has no mode; it then supports no key. */
  readonly owner: { readonly merchantId: string; readonly livemode: boolean | undefined }
}

export type IdempotentRequest<C> = {
  /** Refunds require a key, and it is stored permanently. */
  readonly isRefund?: boolean
  /**
   * Dispatches commands with the rows that `responseRows` returns for the actor in the response, so that the work and the
   * response are one commit. Returns that actor from the outcome. It may run without effect, so everything it does must be
   * in that commit.
   */
  readonly work: (responseRows: (actor: Actor<C>) => readonly Row[]) => Promise<Actor<C>>
  /** Must return the same for the same actor. */
  readonly answer: (actor: Actor<C>) => { readonly status: 200 | 201; readonly body: unknown }
  /** Adds secrets to the body, which are not stored with it. Must return the same every time. */
  readonly reveal?: (body: string) => Promise<string>
}

/**
 * Does the work of a request once, however often it is sent with its Idempotency-Key and to which process, and always
 * returns the same bytes. After an error the key can be used again.
 */
export const answerIdempotently = async <C>(
  api: Pick<Api, 'sql'>,
  call: IdempotentCall,
  options: IdempotentRequest<C>,
): Promise<Answer> => {
  const request = readRequest(call, options.isRefund === true)
  return request
    ? answerByKey(api, request, options)
    : answerWithSecrets(render(await options.work(noRows), options), options)
}

const noRows = (): readonly Row[] => []

const answerByKey = async <C>(
  { sql }: Pick<Api, 'sql'>,
  request: KeyedRequest,
  options: IdempotentRequest<C>,
): Promise<Answer> => {
  const replay = ({ fingerprint, ...stored }: StoredAnswer & { readonly fingerprint: Buffer }) => {
    if (!fingerprint.equals(request.fingerprint)) refuse('idempotency_key_reused', { param: 'Idempotency-Key' })
    return answerWithSecrets(stored, options, { 'idempotent-replayed': 'true' })
  }

  const before = await findStoredAnswer(sql, request)
  if (before) return replay(before)

  let rendered: { readonly actor: Actor<C>; readonly stored: NewAnswer } | undefined
  const responseRows = (actor: Actor<C>) => {
    rendered = { actor, stored: render(actor, options) }
    return [storedAnswerRow(request, rendered.stored)]
  }
  try {
    const actor = await options.work(responseRows)
    // The rendered actor is the committed one, so its row was stored with it.
    if (rendered?.actor === actor) return await answerWithSecrets(rendered.stored, options)
    // Otherwise nothing was written, or the response of the commit was lost after it was written.
    const stored = render(actor, options)
    if (await storeAnswer(sql, request, stored)) return await answerWithSecrets(stored, options)
  } catch (error) {
    // A parallel request with the same key may have done the work in the meantime.
    const parallel = error instanceof Refusal ? await findStoredAnswer(sql, request) : undefined
    if (!parallel) throw error
    return replay(parallel)
  }
  return replay((await findStoredAnswer(sql, request)) ?? refuse('idempotency_key_in_use'))
}

const render = <C>(actor: Actor<C>, { answer }: IdempotentRequest<C>): NewAnswer => {
  const { status, body } = answer(actor)
  return { status, body: JSON.stringify(body), recordId: actor.id }
}

const answerWithSecrets = <C>(
  stored: StoredAnswer,
  { reveal }: IdempotentRequest<C>,
  headers?: HeaderFields,
): Answer | Promise<Answer> =>
  reveal ? reveal(stored.body).then(body => answerOf({ ...stored, body }, headers)) : answerOf(stored, headers)

const readRequest = (call: IdempotentCall, isRefund: boolean): KeyedRequest | undefined => {
  const key = readKey(call.headers)
  const { merchantId, livemode } = call.owner
  if (isRefund && key === undefined) refuse('idempotency_key_required', { param: 'Idempotency-Key' })
  if (isRefund && livemode === undefined) throw new TypeError('the idempotency key of a refund needs its mode')
  if (key === undefined || livemode === undefined) return undefined
  return { merchantId, livemode, key, isRefund, fingerprint: fingerprintOf(call) }
}

const readKey = (headers: Headers): string | undefined => {
  const key = headers.get('idempotency-key')
  if (key === null) return undefined
  return /^[ -~]{1,255}$/.test(key) ? key : refuse('idempotency_key_invalid', { param: 'Idempotency-Key' })
}

/** Only POST requests support a key. The pattern of the path and its parameters identify the path. */
const fingerprintOf = ({ pattern, params, body }: IdempotentCall): Buffer =>
  createHash('sha256')
    .update(canonical(['POST', pattern, params, body]))
    .digest()

/** JSON with sorted keys: the order of the fields has no meaning. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

const answerOf = ({ status, body }: StoredAnswer, headers?: HeaderFields): Answer => ({
  status,
  text: body,
  headers: headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE,
})
