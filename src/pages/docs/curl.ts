import type { Document } from '../../http/openapi/document.ts'
import type { Operation } from '../../http/openapi/operation.ts'

export type Placed = { readonly method: string; readonly path: string; readonly operation: Operation }
/** The request as a curl command. */
export const curlOf = ({ servers }: Document, { method, path, operation }: Placed): string => {
  const { parameters, requestBody, security } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(parameters.find(each => each.name === name)?.example))
  const { 'application/json': json, 'application/x-www-form-urlencoded': form } = requestBody?.content ?? {}
  const body = json?.example
  const file = Object.entries(requestBody?.content ?? {}).find(([, { schema }]) => schema.format === 'binary')
  const fields = Object.entries(Object(form?.example)).map(([name, value]) => `--data-urlencode '${name}=${value}'`)
  const headers = [
    ...security.slice(0, 1).flatMap(each => credentials[Object.keys(each)[0] ?? ''] ?? []),
    ...(parameters.some(({ name, required }) => name === 'Idempotency-Key' && required)
      ? ["-H 'Idempotency-Key: refund-of-order-7'"]
      : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
    ...fields,
    ...(file ? [`-H 'Content-Type: ${file[0]}'`, '--data-binary @FILE'] : []),
  ]
  const verb =
    method === 'get' || (method === 'post' && (body ?? form ?? file) !== undefined) ? '' : `-X ${method.toUpperCase()} `
  return [`curl ${verb}${servers[0]?.url}${filled}`, ...headers].join(' \\\n  ')
}

const credentials: Readonly<Record<string, string>> = {
  apiKey: "-H 'Authorization: Bearer sk_test_…'",
  session: "-H 'Authorization: Bearer ACCESS_TOKEN'",
  refreshCookie: "-H 'Cookie: paymachine_refresh=…'",
}
