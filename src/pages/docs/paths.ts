/** The address of a section of the reference. */
export const sectionPath = (title: string): string => `/docs/${slugOf(title)}`

export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/-$/, '')

/** The objects are in two sections, so that each is quick on a phone. */
export const objectSections = ['Objects A to O', 'Objects P to Z'] as const

export const objectSection = (name: string): (typeof objectSections)[number] =>
  name < 'P' ? objectSections[0] : objectSections[1]

export const objectPath = (name: string): string => `${sectionPath(objectSection(name))}#${name}`
