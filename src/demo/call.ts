type Json = { readonly [key: string]: unknown }

/** A JSON answer whose fields are read by path. What is not there is reported with its path. */
export type DemoAnswer = {
  readonly json: Json
  /** `text('payment.crypto.address')`. */
  text(path: string): string
}

export type DemoCall = (
  method: string,
  path: string,
  body?: Json,
  headers?: Readonly<Record<string, string>>,
) => Promise<DemoAnswer>

/** Calls the API as a merchant's server does. Any other status than 2xx ends the demo. */
export const openCalls =
  (base: string, authorization?: string): DemoCall =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(authorization && { authorization: `Bearer ${authorization}` }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return answerOf(`${method} ${path}`, text === '' ? {} : JSON.parse(text))
  }

const answerOf = (request: string, json: Json): DemoAnswer => ({
  json,
  text: path => {
    const value = path.split('.').reduce<unknown>((part, key) => Object(part)[key], json)
    if (typeof value !== 'string') throw new Error(`${request} answered without text at ${path}`)
    return value
  },
})
