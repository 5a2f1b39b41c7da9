import { afterAll, afterEach, expect } from 'bun:test'

type House = AsyncDisposable & {
  audit(): Promise<readonly unknown[]>
  /** For after each test: leaves nothing that can still change. */
  rest(): Promise<void>
}

/** A house for all tests of a file, at rest after each of them, audited and closed behind the last. */
export const forFile = async <Kind extends House>(opening: Promise<Kind>, { rests = true } = {}): Promise<Kind> => {
  const house = await opening
  if (rests) afterEach(() => house.rest())
  afterAll(async () => {
    expect(await house.audit()).toEqual([])
    await house[Symbol.asyncDispose]()
  })
  return house
}
