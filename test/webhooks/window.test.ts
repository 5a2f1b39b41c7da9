import { expect, test } from 'bun:test'
import { afterAnswer, afterSlowRequest, newWindow, type Window } from '../../src/webhooks/window.ts'

type Answer = Parameters<typeof afterAnswer>[1]

const answers: Readonly<Record<string, Answer>> = {
  quick: { outcome: 'delivered', httpStatus: 200, durationMs: 20 },
  slow: { outcome: 'delivered', httpStatus: 204, durationMs: 1_200 },
  '404': { outcome: 'http_error', httpStatus: 404, durationMs: 20 },
  '429': { outcome: 'http_error', httpStatus: 429, durationMs: 20 },
  '503': { outcome: 'http_error', httpStatus: 503, durationMs: 20 },
  redirect: { outcome: 'redirect', httpStatus: 302, durationMs: 20 },
  timeout: { outcome: 'timeout', httpStatus: null, durationMs: 15_000 },
  refused: { outcome: 'connection_failed', httpStatus: null, durationMs: 1 },
  barred: { outcome: 'forbidden_address', httpStatus: null, durationMs: 1 },
}

/** Sizes from the first on, after each group of outcomes. */
const sizes = (path: string, from: Window = newWindow): number[] => {
  let window = from
  return path.split(' ').map(step => {
    const [name = '', times = '1'] = step.split('×')
    for (let i = 0; i < Number(times); i++) {
      const answer = answers[name]
      window = answer ? afterAnswer(window, answer) : afterSlowRequest(window)
    }
    return window.size
  })
}

test.each([
  ['grows by one with every quick response, up to 128', 'quick quick×3 quick×200', [5, 8, 128]],
  ['halves with a slow response, not below four', 'quick×124 slow slow slow slow slow', [128, 64, 32, 16, 8, 4]],
  ['halves with 429 and 5xx, down to one', 'quick×124 429 503 429 503 429 503 503', [128, 64, 32, 16, 8, 4, 2, 1]],
  ['is not changed by other errors', 'quick 404 redirect barred', [5, 5, 5, 5]],
  ['falls to four as soon as a request waits too long', 'quick×124 silence silence', [128, 4, 4]],
  ['falls to one after five requests in a row without a response', 'quick×6 timeout×4 refused', [10, 10, 1]],
  [
    'counts requests without a response from zero after a response',
    'quick×6 timeout×4 404 refused×4 refused',
    [10, 10, 10, 10, 1],
  ],
  ['recovers from one, slowly with slow responses', 'refused×5 slow slow×5 quick', [1, 2, 4, 5]],
  ['is not changed by requests that were never made', 'quick barred×20', [5, 5]],
] as const)('a window %s', (_what, path, expected) => {
  expect(sizes(path)).toEqual([...expected])
})
