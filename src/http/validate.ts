import { type ArkErrors, type Type, type } from 'arktype'
import { type Code, Refusal } from '../errors.ts'
import { isStorable } from './body.ts'

/**
 * Fits a declared type to what a request may send: what it does not declare, at any depth, is refused.
 * A union of a record and one with further fields is no union to arktype: say that the fields are optional.
 */
export const strict = (declared: Type = nothing): Type => {
  const known = strictTypes.get(declared)
  if (known) return known
  const made = declared.onDeepUndeclaredKey('reject')
  strictTypes.set(declared, made)
  return made
}

const nothing = type({})

/** Each is made when it is first needed: all of them together would hold up every start by a quarter of a second. */
const strictTypes = new WeakMap<Type, Type>()

/** What the type makes of the body. The refusal names the field and says nothing of what was in it. */
export const validateBody = (strictType: Type, body: unknown): unknown => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal('parameter_invalid', { message: 'The request body must be a JSON object.' })
  return fit(strictType, body)
}

export const validateQuery = (strictType: Type, query: Readonly<Record<string, string>>): unknown =>
  fit(strictType, query)

const fit = (strictType: Type, value: object): unknown => {
  if (changesNothing(strictType) && strictType.allows(value)) return value
  const parsed: unknown = strictType(value)
  if (!(parsed instanceof type.errors)) return parsed
  const [first] = [...parsed].map(faultOf).sort(by(order))
  throw new Refusal(first?.code ?? 'parameter_invalid', first && isSayable(first.param) ? { param: first.param } : {})
}

/** Most bodies are taken as they are: to ask whether one fits costs a third of gathering what is wrong with it. */
const changesNothing = (strictType: Type): boolean => strictType.in === strictType

/** A misspelled name is both unknown and missing: the first says more. */
const order: readonly Code[] = ['parameter_unknown', 'parameter_missing', 'parameter_invalid']
const unionOrder: readonly Code[] = ['parameter_unknown', 'parameter_invalid', 'parameter_missing']

const by = (codes: readonly Code[]) => (a: Fault, b: Fault) => codes.indexOf(a.code) - codes.indexOf(b.code)

type Fault = { readonly code: Code; readonly param: string }
type ArkError = ArkErrors[number]

const faultOf = (error: ArkError): Fault => {
  // Of several ways to be right the one is explained that the caller seems to have taken.
  if (error.hasCode('union')) {
    const [way] = error.errors.map(faultOf).sort(by(unionOrder))
    if (way) return way
  }
  return { code: codeOf(error), param: [...error.path].map(String).join('.') }
}

const codeOf = (error: ArkError): Code => {
  if (error.code === 'required') return 'parameter_missing'
  // How arktype puts it that a key is not declared; no rule of ours expects that.
  if (error.code === 'predicate' && error.expected === 'removed') return 'parameter_unknown'
  return 'parameter_invalid'
}

const isSayable = (param: string): boolean => /^[\w.-]{1,100}$/.test(param)

/** Whatever it says that names no record is for its list to refuse, and always alike; it is read before Postgres sees it. */
const CURSOR = 'startingAfter'

/** The query's parameters; one that comes twice could be read either way, so it is refused. */
export const readQuery = (url: string): Record<string, string> => {
  // By hand: the address of a request with a strange Host header is none that URL takes.
  const at = url.indexOf('?')
  if (at < 0) return {}
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(url.slice(at))) {
    const because = isSayable(name) ? { param: name } : {}
    if (!isStorable(name) || name === '__proto__') throw new Refusal('parameter_unknown', because)
    const isFit = name === CURSOR || isStorable(value)
    if (name in query || !isFit) throw new Refusal('parameter_invalid', because)
    query[name] = value
  }
  return { ...query }
}
