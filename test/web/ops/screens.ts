import type { Page } from 'playwright-core'
import { opsPage } from '../../../src/pages/ops.ts'
import { machineNames } from '../../../src/resources.ts'
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
}

/** A page with full, empty, loading and failed data. */
const pageViews = (name: string, path: string, states = ['full', 'empty', 'loading', 'failed'] as const) =>
  Object.fromEntries(states.map(data => [data === 'full' ? name : `${name}-${data}`, { path, data }]))

const openMenu = (page: Page) =>
  page
    .locator('.bottom__more')
    .click({ timeout: 1_000 })
    .catch(() => {})

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
  ...pageViews('stuck', '/stuck'),
  ...pageViews('search', '/search?q=LL-20418'),
  actor: { path: `/actors/${samples.actor.id}` },
  'actor-stuck': { path: `/actors/${samples.actor.id}`, isStuck: true },
  'actor-revision': { path: `/actors/${samples.actor.id}?rev=4` },
  'actor-loading': { path: `/actors/${samples.actor.id}`, data: 'loading' },
  'actor-failed': { path: `/actors/${samples.actor.id}`, data: 'failed' },
  ...pageViews('chains', '/chains'),
  'chains-broken': { path: '/chains', broken: true },
  ...pageViews('queues', '/queues'),
  ...pageViews('workers', '/workers'),
  ...pageViews('audits', '/audits'),
}

/** Answers the calls of the page with samples. */
const answer = (page: Page, { path, data = 'full', signedOut, isOperator = true, broken, isStuck }: View) =>
  page.route('**/v1/**', route => {
    const { pathname } = new URL(route.request().url())
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
    // It ends, and the page connects again.
    if (pathname.endsWith('/stream')) return route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' })
    const [first = '', second, third] = pathname.split('/').slice(3)
    const list = (rows: readonly unknown[] = []) => json({ ...sampleList(rows, data), has_more: false })
    const machines = data === 'empty' ? samples.unusedMachines : samples.machines
    if (first === 'machines')
      return json(second === undefined ? sampleList(machines, 'loading') : machines.find(({ kind }) => kind === second))
    if (third === 'transitions') return list(shown.transitions)
    if (first === 'actors') return json(isStuck ? shown.stuckActor : shown.actor)
    return list(lists[first])
  })

await takePictures<View>({
  ...{ surface: 'ops', views, answer },
  pathOf: ({ path }) => `/ops${path}`,
  frame: (web, locale) => opsPage(web, locale),
})
