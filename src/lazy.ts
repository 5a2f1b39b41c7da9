/** Creates a value on first use and keeps it: for values that are slow to create and rarely needed. */
export const lazy = <T>(create: () => T): (() => T) => {
  let created: { readonly value: T } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
