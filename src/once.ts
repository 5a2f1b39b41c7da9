/** Made when it is first asked for, and only then: what takes a moment to make and is seldom needed. */
export const once = <Made>(make: () => Made): (() => Made) => {
  let made: { readonly it: Made } | undefined
  return () => {
    made ??= { it: make() }
    return made.it
  }
}
