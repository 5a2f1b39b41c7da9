import type { Document } from '../../http/openapi/document.ts'
import { guide } from '../../http/openapi/guide.ts'
import type { Answer } from '../../http/route.ts'
import { type Html, html } from '../html.ts'
import { openLayout } from '../page.ts'
import { fieldsOf } from './fields.ts'
import { operationIn, type Placed } from './operation.ts'
import { code, prose } from './prose.ts'

const layout = openLayout([new URL('./docs.css', import.meta.url)])

export const sendDocs = (text: string): Answer => layout.send(text)

/** The interface's document, for people. */
export const docsText = (document: Document): string => {
  const { title, version, summary } = document.info
  return layout.textOf(
    `${title}: the interface`,
    html`<a class="skip" href="#content">To the content</a>
<div class="docs">
<header><h1>${title}: the interface</h1>
<p>${summary} Version ${version}, at <code>${document.servers[0]?.url}</code>. For machines: <a href="/openapi.json">openapi.json</a>.</p></header>
${navigation(document)}
<main id="content">
${guide.map(({ title: heading, text }) => section(heading, prose(text)))}
${document.tags.map(({ name, description }) =>
  section(name, [...prose(description), ...operationsOf(document, name).map(placed => operationIn(document, placed))]),
)}
${section('Records', Object.entries(document.components.schemas).filter(isRecord).map(recordOf))}
${section('Codes', Object.entries(document.components.examples).map(codeOf))}
</main>
</div>`,
  )
}

const navigation = ({ tags }: Document): Html =>
  html`<nav aria-label="Contents">
${linksTo(
  'Guide',
  guide.map(({ title }) => title),
)}
${linksTo(
  'Endpoints',
  tags.map(({ name }) => name),
)}
${linksTo('Reference', ['Records', 'Codes'])}
</nav>`

const linksTo = (heading: string, titles: readonly string[]): Html =>
  html`<h2 class="heading">${heading}</h2><ul>${titles.map(title => html`<li><a href="#${anchorOf(title)}">${title}</a></li>`)}</ul>`

const section = (title: string, parts: readonly Html[]): Html =>
  html`<section id="${anchorOf(title)}"><h2>${title}</h2>${parts}</section>`

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

const operationsOf = ({ paths }: Document, tag: string): readonly Placed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  )

/** Bodies stand with what takes them. */
const isRecord = ([name]: [string, unknown]): boolean => !name.endsWith('Body')

const recordOf = ([name, schema]: [string, Document['components']['schemas'][string]]): Html =>
  html`<details class="operation">
<summary class="line"><code>${name}</code></summary><div class="inside" id="${name}">${fieldsOf(schema)}</div></details>`

const codeOf = ([name, { summary, value }]: [string, Document['components']['examples'][string]]): Html =>
  html`<details class="operation">
<summary class="line"><code>${name}</code> <span class="quiet">${summary}</span></summary>
<div class="inside" id="${name}">${code(value)}</div></details>`
