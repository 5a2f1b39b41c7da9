/** The largest values that the API accepts, for the largest events. The character takes six bytes in JSON, the maximum. */
export const largestText = (length: number) => '\u0001'.repeat(length)

/** As large as src/http/metadata.ts allows. */
export const largestMetadata = { [largestText(40)]: largestText(200), rest: 'x'.repeat(4_096 - 6 * 240 - 17) }

export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER
