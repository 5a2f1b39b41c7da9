import type { Page } from 'playwright-core'
import { opsPage } from '../../../src/pages/ops.ts'
import { type MachineName, machineNames } from '../../../src/resources.ts'
import { account } from '../dashboard/samples.ts'
import { type PictureView, sampleFailure, sampleList, takePictures } from '../harness/pictures.ts'
import * as samples from './samples.ts'

/**
 * Writes pictures of the pages for operators, as test/web/dashboard/screens.ts does for the dashboard.
 * `bun run screens:ops health 360 dark` writes those whose name contains all of these words.
 */
type View = PictureView & {
  /** Below /ops. */
  readonly path: string
  readonly signedOut?: true
  readonly isOperator?: boolean
  /** Something of everything does not work. */
  readonly broken?: true
  /** The actor is stuck. */
  readonly isStuck?: true
  /** The machine of the actor; a payment if it is left out. */
  readonly kind?: MachineName
  /** The actor has so many revisions. */
  readonly revisions?: number
  /** What the stream of the tail does. It is quiet if it is left out. */
  readonly stream?: 'flowing' | 'lost'
}

/** A page with full, empty, loading and failed data. */
const pageViews = (name: string, path: string, states = ['full', 'empty', 'loading', 'failed'] as const) =>
  Object.fromEntries(states.map(data => [data === 'full' ? name : `${name}-${data}`, { path, data }]))

const openMenu = (page: Page) =>
  page
    .locator('.bottom__more')
    .click({ timeout: 1_000 })
    .catch(() => {})

const ask = async (page: Page) => {
  await page.locator('.what-if [type=submit]').click()
  await page.locator('.what-if__answer').waitFor()
}

const send = async (page: Page) => {
  await page.locator('.possible button').first().click()
  await page.locator('dialog .facts').waitFor()
}

const shown = (selector: string) => (page: Page) => page.locator(selector).first().waitFor()

const pause = async (page: Page) => {
  await page.locator('.tail tbody tr').nth(8).waitFor()
  await page.keyboard.press('p')
  await page.locator('.tail__waiting').waitFor()
  await page.waitForTimeout(500)
}

const ACTOR = `/actors/${samples.actor.id}`

const views: Readonly<Record<string, View>> = {
  'sign-in': { path: '', signedOut: true },
  denied: { path: '', isOperator: false },
  nothing: { path: '/nothing' },
  ...pageViews('health', ''),
  'health-broken': { path: '', broken: true },
  more: { path: '', act: openMenu },
  ...pageViews('machines', '/machines'),
  ...Object.fromEntries(machineNames.map(kind => [`machine-${kind}`, { path: `/machines/${kind}?window=7d` }])),
  'machine-state': { path: '/machines/payment?state=pending' },
  ...pageViews('tail', '/tail'),
  'tail-flowing': { path: '/tail', stream: 'flowing', act: shown('.tail tbody tr:nth-child(20)') },
  'tail-paused': { path: '/tail', stream: 'flowing', act: pause },
  'tail-lost': { path: '/tail', stream: 'lost', act: shown('.tail__status[data-tone=warn]') },
  'tail-filtered': { path: '/tail?kind=delivery&state=failed', stream: 'flowing' },
  ...pageViews('stuck', '/stuck'),
  ...pageViews('search', '/search?q=LL-20418'),
  actor: { path: ACTOR },
  'actor-stuck': { path: ACTOR, isStuck: true },
  'actor-hindered': { path: ACTOR, broken: true },
  'actor-revision': { path: `${ACTOR}?rev=4` },
  'actor-many-revisions': { path: `${ACTOR}?rev=150`, revisions: 250 },
  'actor-what-if': { path: ACTOR, act: ask },
  'actor-send': { path: ACTOR, act: send },
  ...Object.fromEntries(machineNames.map(kind => [`actor-of-${kind}`, { path: ACTOR, kind }])),
  'actor-loading': { path: ACTOR, data: 'loading' },
  'actor-failed': { path: ACTOR, data: 'failed' },
  ...pageViews('chains', '/chains'),
  'chains-broken': { path: '/chains', broken: true },
  ...pageViews('queues', '/queues'),
  ...pageViews('workers', '/workers'),
  ...pageViews('audits', '/audits'),
  ...Object.fromEntries(
    samples.audits.slice(0, 3).map(({ id, status }) => [`audit-${status}`, { path: `/audits/${id}` }]),
  ),
  'audit-loading': { path: `/audits/${samples.audits[0]?.id}`, data: 'loading' },
  'audit-failed-to-load': { path: `/audits/${samples.audits[0]?.id}`, data: 'failed' },
}

/** Answers the calls of the page with samples. */
const answer = (page: Page, view: View) => {
  const { path, data = 'full', signedOut, isOperator = true, broken, stream } = view
  return page.route('**/v1/**', route => {
    const { pathname, origin, searchParams } = new URL(route.request().url())
    const json = (body: unknown, status = 200) => route.fulfill({ status, json: body })
    if (pathname === '/v1/auth/session') return json({ signedIn: !signedOut })
    const signedIn = { ...account, user: { ...account.user, operator: isOperator } }
    if (pathname === '/v1/auth/refresh') return json({ accessToken: 't', expiresIn: 900, ...signedIn })
    if (pathname === '/v1/auth/me') return json(signedIn)
    if (data === 'loading') return
    if (data === 'failed') return json(sampleFailure, 503)
    const shown = { ...samples, stuck: path === '/stuck' ? samples.stuck : [], ...(broken && samples.broken) }
    const lists: Readonly<Record<string, readonly unknown[]>> = {
      ...{ chains: shown.chains, queues: shown.queues, workers: shown.workers },
      ...{ deliveries: shown.endpoints, signers: shown.signers, audits: shown.audits, search: shown.found },
      ...{ database: [shown.database], stuck: shown.stuck, transitions: shown.transitions },
    }
    // An answer that is made here would end.
    if (pathname.endsWith('/stream'))
      return stream === 'lost' ? route.abort() : route.continue({ url: `${origin}/stream?${stream ?? 'quiet'}` })
    const [first = '', second, third] = pathname.split('/').slice(3)
    const list = (rows: readonly unknown[] = []) => json({ ...sampleList(rows, data), has_more: false })
    const machines = data === 'empty' ? samples.unusedMachines : samples.machines
    if (first === 'machines')
      return json(second === undefined ? sampleList(machines, 'loading') : machines.find(({ kind }) => kind === second))
    if (third === 'story') return json(sampleList(storyOf(view, searchParams), 'loading'))
    if (third === 'preview') return json(samples.preview)
    if (first === 'audits' && second !== undefined) return json(samples.audits.find(({ id }) => id === second))
    if (first === 'actors') return json(actorOf(view))
    return list(lists[first])
  })
}

const actorOf = ({ kind, isStuck, revisions }: View) => {
  if (kind && kind !== 'payment') return samples.actorOfKind(kind)
  return { ...(isStuck ? samples.stuckActor : samples.actor), ...(revisions && { rev: revisions }) }
}

const storyOf = ({ kind, revisions }: View, query: URLSearchParams) => {
  if (kind && kind !== 'payment') return samples.storyOfKind(kind)
  if (revisions === undefined) return samples.story
  const after = Number(query.get('startingAfter')?.split(':')[1] ?? 0)
  return samples.longStory(after + 1, Math.min(revisions, after + Number(query.get('limit'))))
}

/** Forty transitions a second, or none. */
const serveStream = ({ pathname, search }: URL): Response | undefined => {
  if (pathname !== '/stream') return undefined
  let timer: ReturnType<typeof setInterval>
  let n = 0
  const send = (sink: ReadableStreamDefaultController<string>) =>
    sink.enqueue(`event: transition\nid: ${n}\ndata: ${JSON.stringify(samples.flowing(n++))}\n\n`)
  const body = new ReadableStream<string>({
    start: sink => {
      sink.enqueue(':\n\n')
      if (search === '?flowing') timer = setInterval(send, 25, sink)
    },
    cancel: () => clearInterval(timer),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

await takePictures<View>({
  ...{ surface: 'ops', views, answer },
  pathOf: ({ path }) => `/ops${path}`,
  frame: (web, locale) => opsPage(web, locale),
  serve: serveStream,
})
