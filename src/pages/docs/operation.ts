import type { Document } from '../../http/openapi/document.ts'
import type { Operation } from '../../http/openapi/operation.ts'
import { type Html, html } from '../html.ts'
import { curlOf, type Placed } from './curl.ts'
import { fieldOf, fieldsOf } from './fields.ts'
import { objectPath } from './paths.ts'
import { code, inline, prose } from './prose.ts'

/** One endpoint as a line with a link to its details. */
export const operationLine = ({ method, path, operation }: Placed, section: string): Html =>
  html`<li class="line" id="${operation.operationId}"><code class="method">${method.toUpperCase()}</code> <a href="${section}#${operation.operationId}"><code>${path}</code></a> <span class="quiet">${operation.summary}</span></li>`

/** One endpoint: a line that opens to show its details. */
export const operationIn = (document: Document, placed: Placed): Html => {
  const { method, path, operation } = placed
  return html`<details class="operation">
<summary class="line"><code class="method">${method.toUpperCase()}</code> <code>${path}</code> <span class="quiet">${operation.summary}</span></summary>
<div class="inside" id="${operation.operationId}">
${prose(operation.description)}
${parametersOf(operation)}
${bodyIn(document, operation)}
<h4>Example request</h4>
${code(curlOf(document, placed))}
<h4>Responses</h4>
${Object.entries(operation.responses).map(([status, answer]) => answerOf(status, answer))}
</div>
</details>`
}

const parametersOf = ({ parameters }: Operation): Html | false =>
  parameters.length > 0 &&
  html`<h4>Parameters</h4>
<dl class="fields">${parameters.map(({ name, in: place, required, description, schema }) => {
    const standard = schema.default === undefined ? undefined : `default: ${JSON.stringify(schema.default)}`
    const note = [place, required ? 'required' : standard].filter(Boolean).join(' · ')
    return fieldOf({ name, schema, note, text: description })
  })}</dl>`

const bodyIn = (document: Document, { requestBody }: Operation): Html | false => {
  const { 'application/json': json, 'application/x-www-form-urlencoded': form } = requestBody?.content ?? {}
  const name = nameIn((json ?? form)?.schema.$ref)
  const schema = name === undefined ? undefined : document.components.schemas[name]
  return schema !== undefined && html`<h4>${form ? 'Form fields' : 'Request body'}</h4>${fieldsOf(schema)}`
}

const answerOf = (status: string, answer: Operation['responses'][string]): Html => {
  const json = answer.content?.['application/json']
  if (json?.examples)
    return html`<p class="status"><strong>${status}</strong></p>
<ul>${Object.keys(json.examples).map(each => html`<li><a href="/docs/error-codes#${each}"><code>${each}</code></a></li>`)}</ul>`
  const name = nameIn(json?.schema.$ref)
  return html`<p class="status"><strong>${status}</strong> ${inline(answer.description)}
${name !== undefined && html`<a href="${objectPath(name)}">${name}</a>`}</p>
${json?.example !== undefined && html`<details class="more"><summary>Example response</summary>${code(json.example)}</details>`}`
}

const nameIn = (ref: unknown): string | undefined => (typeof ref === 'string' ? ref.split('/').at(-1) : undefined)
