import { afterAll, afterEach, expect } from 'bun:test'

type Instance = AsyncDisposable & {
  audit(): Promise<readonly unknown[]>
  /** For after each test: leaves nothing that can still change. */
  rest(): Promise<void>
}

/** A instance for all tests of a file, at rest after each of them, audited and closed behind the last. */
export const forFile = async <Kind extends Instance>(opening: Promise<Kind>, { rests = true } = {}): Promise<Kind> => {
  const instance = await opening
  if (rests) afterEach(() => instance.rest())
  afterAll(async () => {
    expect(await instance.audit()).toEqual([])
    await instance[Symbol.asyncDispose]()
  })
  return instance
}
