/** The address of a section of the reference. */
export const sectionPath = (title: string): string => `/docs/${slugOf(title)}`

export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/-$/, '')

/** The objects are in several sections, so that each is quick on a phone. */
export const objectSections = ['Objects A to H', 'Objects I to O', 'Objects P to Z'] as const

export const objectSection = (name: string): (typeof objectSections)[number] => {
  if (name < 'I') return objectSections[0]
  return name < 'P' ? objectSections[1] : objectSections[2]
}

export const objectPath = (name: string): string => `${sectionPath(objectSection(name))}#${name}`
