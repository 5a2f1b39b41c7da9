import type { Document } from '../../http/openapi/document.ts'
import { guide } from '../../http/openapi/guide.ts'
import type { WholeText } from '../answer.ts'
import { type Html, html } from '../html.ts'
import { openLayout } from '../page.ts'
import type { Placed } from './curl.ts'
import { fieldsOf } from './fields.ts'
import { operationIn, operationLine } from './operation.ts'
import { objectSection, objectSections, sectionPath, slugOf } from './paths.ts'
import { code, prose } from './prose.ts'

const layout = openLayout([new URL('./docs.css', import.meta.url)], {
  description: 'API reference of paymachine: authentication, errors, idempotency, webhooks and all endpoints.',
})

/** The API reference as HTML: a page of contents, and a page for each section, by its name in the URL. */
export type DocsPages = { readonly contents: WholeText; readonly sections: ReadonlyMap<string, WholeText> }

/** Several pages: one page with every field of every endpoint has 13,000 elements, and a phone needs seconds to lay it out. */
export const docsPages = (document: Document): DocsPages => {
  const { title, version, summary } = document.info
  const page = (heading: string, main: readonly Html[]): WholeText =>
    layout.send(
      layout.textOf(
        heading,
        html`<a class="skip" href="#content">Skip to the content</a>
<div class="docs">
<header><h1>${title} API reference</h1>
<p>${summary} API version ${version}. Base URL: <code>${document.servers[0]?.url}</code>. OpenAPI document: <a href="/openapi.json">openapi.json</a>. State machines: <a href="/machines.json">machines.json</a>.</p></header>
${navigation(document)}
<main id="content">
${main}
</main>
</div>`,
      ),
    )
  return {
    contents: page(`${title} API reference`, contentsOf(document)),
    sections: new Map(
      sectionsOf(document).map(({ name, parts }) => [slugOf(name), page(`${name} – ${title}`, [section(name, parts)])]),
    ),
  }
}

const contentsOf = (document: Document): readonly Html[] => [
  ...guide.map(({ title: heading, text }) => section(heading, prose(text))),
  ...document.tags.map(({ name, description }) =>
    section(name, [
      ...prose(description),
      html`<ul class="lines">${operationsOf(document, name).map(placed => operationLine(placed, sectionPath(name)))}</ul>`,
    ]),
  ),
]

type Section = { readonly name: string; readonly parts: readonly Html[] }

const sectionsOf = (document: Document): readonly Section[] => [
  ...document.tags.map(({ name, description }) => ({
    name,
    parts: [...prose(description), ...operationsOf(document, name).map(placed => operationIn(document, placed))],
  })),
  ...objectSections.map(name => ({
    name,
    parts: Object.entries(document.components.schemas)
      .filter(each => isRecord(each) && objectSection(each[0]) === name)
      .map(recordOf),
  })),
  { name: 'Error codes', parts: Object.entries(document.components.examples).map(codeOf) },
]

const navigation = ({ tags }: Document): Html =>
  html`<nav aria-label="Contents">
${linksTo(
  'Guide',
  guide.map(({ title }) => [title, `/docs#${slugOf(title)}`]),
)}
${linksTo(
  'Endpoints',
  tags.map(({ name }) => [name, sectionPath(name)]),
)}
${linksTo(
  'Reference',
  [...objectSections, 'Error codes'].map(name => [name, sectionPath(name)]),
)}
</nav>`

const linksTo = (heading: string, links: readonly (readonly [title: string, href: string])[]): Html =>
  html`<h2 class="heading">${heading}</h2><ul>${links.map(([title, href]) => html`<li><a href="${href}">${title}</a></li>`)}</ul>`

const section = (title: string, parts: readonly Html[]): Html =>
  html`<section id="${slugOf(title)}"><h2>${title}</h2>${parts}</section>`

const operationsOf = ({ paths }: Document, tag: string): readonly Placed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  )

/** Request bodies are shown with their endpoint. */
const isRecord = ([name]: [string, unknown]): boolean => !name.endsWith('Body')

const recordOf = ([name, schema]: [string, Document['components']['schemas'][string]]): Html =>
  html`<details class="operation">
<summary class="line"><code>${name}</code></summary><div class="inside" id="${name}">${fieldsOf(schema)}</div></details>`

const codeOf = ([name, { summary, value }]: [string, Document['components']['examples'][string]]): Html =>
  html`<details class="operation">
<summary class="line"><code>${name}</code> <span class="quiet">${summary}</span></summary>
<div class="inside" id="${name}">${code(value)}</div></details>`
