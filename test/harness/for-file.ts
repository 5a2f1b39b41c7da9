import { afterAll, afterEach, expect } from 'bun:test'

type Instance = AsyncDisposable & {
  audit(): Promise<readonly unknown[]>
  /** Runs after each test: waits until nothing can change any more. */
  rest(): Promise<void>
}

/** One instance for all tests of a file. It rests after each test; after the last it is audited and closed. */
export const forFile = async <Kind extends Instance>(opening: Promise<Kind>, { rests = true } = {}): Promise<Kind> => {
  const instance = await opening
  if (rests) afterEach(() => instance.rest())
  afterAll(async () => {
    expect(await instance.audit()).toEqual([])
    await instance[Symbol.asyncDispose]()
  })
  return instance
}
