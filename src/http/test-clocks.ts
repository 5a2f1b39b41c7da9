import { type } from 'arktype'
import type { TestClock } from '../../machines/test-clock.ts'
import { advanceTestClock, createTestClock, deleteTestClock } from '../commands/test-clocks.ts'
import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import { testClockRecord } from '../kinds/test-clock.ts'
import { findTestClock, listTestClocks } from '../queries/test-clocks.ts'
import { causeOfMember, causeOfRequest } from './causes.ts'
import {
  advanceTestClockAsMemberDocs,
  advanceTestClockDocs,
  createTestClockAsMemberDocs,
  createTestClockDocs,
  deleteTestClockDocs,
  getTestClockDocs,
  listTestClocksDocs,
} from './docs/test-clocks.ts'
import { answerIdempotently } from './idempotency.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { moment } from './moment.ts'
import { recordKey } from './record-id.ts'
import { forKeys, forMembers, type Route } from './route.ts'

const path = '/v1/sandbox/test-clocks'
const onePath = `${path}/:id` as const
const advancePath = `${onePath}/advance` as const

const membersPath = '/v1/merchants/:merchantId/test-clocks'

const access = { scope: '*', testOnly: true } as const

const newClock = () => type({ 'now?': moment() })
const advance = () => type({ to: moment() })

export const testClockRoutes: readonly Route[] = [
  forKeys('POST', access, {
    path,
    docs: createTestClockDocs,
    body: newClock,
    handle: (api, call) => {
      const { owner, cause } = callerOf(call)
      return answerIdempotently<TestClock>(
        api,
        { ...call, pattern: path, owner },
        {
          work: responseRows => createTestClock(api, owner, timeIn(call.body.now), { cause, responseRows }),
          answer: clock => ({ status: 201, body: testClockRecord.render(clock) }),
        },
      )
    },
  }),

  forKeys('GET', access, {
    path,
    docs: listTestClocksDocs,
    query: listQuery,
    handle: async ({ sql }, call) => {
      const { owner } = callerOf(call)
      const page = await placedPage(sql, 'test_clock', owner, call.query)
      const clocks = await listTestClocks(sql, owner, page)
      return { status: 200, body: listOf(clocks, call.query.limit, testClockRecord.render) }
    },
  }),

  forKeys('GET', access, {
    path: onePath,
    docs: getTestClockDocs,
    handle: async ({ sql }, call) => {
      const clock = await findTestClock(sql, recordKey('clk', { ...call, ...callerOf(call) }))
      return { status: 200, body: testClockRecord.render(clock ?? refuse('resource_not_found')) }
    },
  }),

  forKeys('POST', access, {
    path: advancePath,
    docs: advanceTestClockDocs,
    body: advance,
    handle: (api, call) => {
      const { owner, cause } = callerOf(call)
      const key = recordKey('clk', { ...call, owner })
      const to = new Date(call.body.to)
      return answerIdempotently<TestClock>(
        api,
        { ...call, pattern: advancePath, owner },
        {
          work: responseRows => advanceTestClock(api, key, to, { cause, responseRows }),
          answer: clock => ({ status: 200, body: testClockRecord.render(clock) }),
        },
      )
    },
  }),

  forKeys('DELETE', access, {
    path: onePath,
    docs: deleteTestClockDocs,
    handle: async (api, call) => {
      const { owner, cause } = callerOf(call)
      await deleteTestClock(api, recordKey('clk', { ...call, owner }), cause)
      return { status: 204 }
    },
  }),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: membersPath,
      docs: createTestClockAsMemberDocs,
      body: newClock,
      handle: async (api, { body, ...call }) => {
        const requester = { cause: causeOfMember(call), responseRows: noRows }
        const clock = await createTestClock(api, ownerOf(call), timeIn(body.now), requester)
        return { status: 201, body: testClockRecord.render(clock) }
      },
    },
  ),

  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: `${membersPath}/:id`,
      docs: getTestClockDocs,
      handle: async ({ sql }, { params, ...call }) => {
        const clock = await findTestClock(sql, recordKey('clk', { params, owner: ownerOf(call) }))
        return { status: 200, body: testClockRecord.render(clock ?? refuse('resource_not_found')) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: `${membersPath}/:id/advance`,
      docs: advanceTestClockAsMemberDocs,
      body: advance,
      handle: async (api, { params, body, ...call }) => {
        const key = recordKey('clk', { params, owner: ownerOf(call) })
        const requester = { cause: causeOfMember(call), responseRows: noRows }
        return {
          status: 200,
          body: testClockRecord.render(await advanceTestClock(api, key, new Date(body.to), requester)),
        }
      },
    },
  ),
]

/** Clocks are in test mode only. */
const ownerOf = ({ member }: { readonly member: { readonly merchantId: string } }) => ({
  merchantId: member.merchantId,
  livemode: false,
})

const noRows = () => []

type Caller = {
  readonly key: { readonly id: string; readonly merchantId: string; readonly livemode: boolean }
  readonly requestId: string
}

const callerOf = ({ key: { id, merchantId, livemode }, requestId }: Caller) => ({
  owner: { merchantId, livemode },
  cause: causeOfRequest(encodeId('key', id), requestId),
})

const timeIn = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text))
