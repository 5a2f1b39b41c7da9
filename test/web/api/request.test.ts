import { expect, test } from 'bun:test'
import { calls } from '../../../src/web/api/calls.ts'
import { requestFor } from '../../../src/web/api/request.ts'
import { readEvents } from '../../../src/web/api/sse.ts'

test('the fields of a call go into the path, the query, a header and the body', () => {
  expect(
    requestFor(calls.listPayments, { merchantId: 'mer_1', status: ['pending', 'success'], limit: 5, q: undefined }),
  ).toEqual({
    method: 'GET',
    url: '/v1/merchants/mer_1/payments?limit=5&status=pending&status=success',
    body: undefined,
    idempotencyKey: undefined,
  })
  expect(
    requestFor(calls.startRefund, { merchantId: 'mer_1', id: 'pay_1/..', idempotencyKey: 'k', amountMinor: 5 }),
  ).toEqual({
    method: 'POST',
    url: '/v1/merchants/mer_1/payments/pay_1%2F../refunds',
    body: '{"amountMinor":5}',
    idempotencyKey: 'k',
  })
  expect(requestFor(calls.endSession, { id: 'ses_1' })).toMatchObject({ method: 'DELETE', body: undefined })
})

/** The messages of a stream that arrives in these pieces. */
const eventsOf = async (pieces: readonly string[]) => {
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  return await Array.fromAsync(readEvents(body))
}

test('events are read as the standard says, however the bytes are cut', async () => {
  const text =
    ':hello\n\nid: 1\nevent: change\ndata: {"a":1}\n\nretry: 5\ndata:x\ndata: ö\n\nid: 2\n\ndata\n\ndata: cut'
  const expected = [
    undefined,
    { event: 'change', data: '{"a":1}', id: '1' },
    { event: 'message', data: 'x\nö', id: '1' },
    { event: 'message', data: '', id: '2' },
  ]
  expect(await eventsOf([text])).toEqual(expected)
  expect(await eventsOf([...text])).toEqual(expected)
  expect(await eventsOf([...text.replaceAll('\n', '\r\n')])).toEqual(expected)
})
