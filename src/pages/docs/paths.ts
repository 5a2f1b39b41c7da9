/** The address of a section of the reference. */
export const sectionPath = (title: string): string => `/docs/${slugOf(title)}`

export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/-$/, '')

/** The objects are in several sections, so that each is quick on a phone. */
const letters = ['A to C', 'D to H', 'I to O', 'P to R', 'S to Z'] as const

export const objectSections = letters.map(each => `Objects ${each}` as const)

/** The last section whose first letter is not after that of the name. */
export const objectSection = (name: string): (typeof objectSections)[number] =>
  `Objects ${letters.findLast(each => each.charAt(0) <= name) ?? letters[0]}`

export const objectPath = (name: string): string => `${sectionPath(objectSection(name))}#${name}`
