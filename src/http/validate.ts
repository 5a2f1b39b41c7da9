import { type ArkErrors, type Type, type } from 'arktype'
import { type Code, Refusal } from '../errors.ts'
import { isStorable } from './body.ts'

/**
 * A type that also refuses undeclared fields at any depth. Do not declare a union of an object type and the same with more
 * fields, which arktype does not treat as a union: declare optional fields.
 */
export const strict = (declared: Type = nothing): Type => {
  const known = strictTypes.get(declared)
  if (known) return known
  const made = declared.onDeepUndeclaredKey('reject')
  strictTypes.set(declared, made)
  return made
}

const nothing = type({})

/** Built at the first use: building all of them would delay every start by a quarter of a second. */
const strictTypes = new WeakMap<Type, Type>()

/** Parses the body. An error names the field, but never its value. */
export const validateBody = (strictType: Type, body: unknown): unknown => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal('parameter_invalid', { message: 'The request body must be a JSON object.' })
  return fit(strictType, body)
}

export const validateQuery = (strictType: Type, query: Readonly<Record<string, string | string[]>>): unknown =>
  fit(strictType, query, firstOf)

/** A repeated parameter has a name and no index. */
const firstOf = (param: string): string => param.split('.')[0] ?? param

const fit = (strictType: Type, value: object, nameOf = (param: string): string => param): unknown => {
  if (changesNothing(strictType) && strictType.allows(value)) return value
  const parsed: unknown = strictType(value)
  if (!(parsed instanceof type.errors)) return parsed
  const [first] = [...parsed].map(faultOf).sort(by(order))
  const param = nameOf(first?.param ?? '')
  throw new Refusal(first?.code ?? 'parameter_invalid', isSayable(param) ? { param } : {})
}

/** Most types do not transform the body: a check costs a third of parsing it with error details. */
const changesNothing = (strictType: Type): boolean => strictType.in === strictType

/** A misspelled name is both unknown and missing: the first error is more helpful. */
const order: readonly Code[] = ['parameter_unknown', 'parameter_missing', 'parameter_invalid']
const unionOrder: readonly Code[] = ['parameter_unknown', 'parameter_invalid', 'parameter_missing']

const by = (codes: readonly Code[]) => (a: Fault, b: Fault) => codes.indexOf(a.code) - codes.indexOf(b.code)

type Fault = { readonly code: Code; readonly param: string }
type ArkError = ArkErrors[number]

const faultOf = (error: ArkError): Fault => {
  // For a union, the error of the branch that the caller seems to have used.
  if (error.hasCode('union')) {
    const [way] = error.errors.map(faultOf).sort(by(unionOrder))
    if (way) return way
  }
  return { code: codeOf(error), param: [...error.path].map(String).join('.') }
}

const codeOf = (error: ArkError): Code => {
  if (error.code === 'required') return 'parameter_missing'
  // This is how arktype reports an undeclared key; no rule of ours has this expectation.
  if (error.code === 'predicate' && error.expected === 'removed') return 'parameter_unknown'
  return 'parameter_invalid'
}

const isSayable = (param: string): boolean => /^[\w.-]{1,100}$/.test(param)

/** The list refuses every invalid cursor with the same error. It is decoded before it reaches Postgres. */
const CURSOR = 'startingAfter'

/** The parameters that can be repeated: those that are declared as arrays. */
export const repeatableIn = (declared: Type | undefined): ReadonlySet<string> => {
  if (!declared) return NONE
  const known = repeatable.get(declared)
  if (known) return known
  const list = type('unknown[]')
  // Every query is declared as an object type, which has `props`; `Type` does not show that.
  const { props } = declared as unknown as {
    readonly props: readonly { readonly key: unknown; readonly value: Type }[]
  }
  const made = new Set(props.filter(({ value }) => value.extends(list)).map(({ key }) => String(key)))
  repeatable.set(declared, made)
  return made
}

const NONE: ReadonlySet<string> = new Set()
const repeatable = new WeakMap<Type, ReadonlySet<string>>()

/**
 * The query parameters. A parameter that can be repeated is an array, also if it was sent once. Any other repeated parameter
 * is ambiguous and is refused.
 */
export const readQuery = (url: string, repeatable = NONE): Record<string, string | string[]> => {
  // Without URL, which rejects the URL of a request with an invalid Host header.
  const at = url.indexOf('?')
  if (at < 0) return {}
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(url.slice(at))) {
    const because = isSayable(name) ? { param: name } : {}
    if (!isStorable(name) || name === '__proto__') throw new Refusal('parameter_unknown', because)
    const isFit = name === CURSOR || isStorable(value)
    const before = query[name]
    const isFirst = before === undefined || Array.isArray(before)
    if (!isFirst || !isFit) throw new Refusal('parameter_invalid', because)
    query[name] = repeatable.has(name) ? [...(before ?? []), value] : value
  }
  return { ...query }
}

/** The declared parameters of a page. Unknown ones are ignored, and so are all if one of them has a wrong value. */
export const pageQuery = (declared: Type | undefined, url: string): unknown => {
  if (!declared) return {}
  const names = new URLSearchParams(url.slice(url.includes('?') ? url.indexOf('?') : url.length))
  const parsed: unknown = declared.onUndeclaredKey('delete')(Object.fromEntries(names))
  return parsed instanceof type.errors ? {} : parsed
}
