/** A key that makes the repetition of a request harmless. `crypto.randomUUID` exists on https and localhost only. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
