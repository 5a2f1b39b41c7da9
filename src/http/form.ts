import { Refusal, refuse } from '../errors.ts'
import { openBytesReader } from './body.ts'
import { readQuery } from './validate.ts'

/** The forms of our pages contain an address and a signature. */
const MOST_BYTES = 4 * 1024

/** Reads the body of a form; undefined if it is empty. */
export const openFormReader = () => openBytesReader(formIn, { mostBytes: MOST_BYTES })

const formIn = (bytes: ArrayBuffer, headers: Headers): ReturnType<typeof readQuery> | undefined => {
  if (bytes.byteLength === 0) return undefined
  if (!isForm(headers))
    throw new Refusal('unsupported_media_type', {
      message: 'The request body must be application/x-www-form-urlencoded.',
    })
  // A form is percent-encoded, so it is ASCII. Anything else is refused.
  const text = new TextDecoder().decode(bytes)
  return /^[\x20-\x7e]*$/.test(text) ? readQuery(`?${text}`) : refuse('parameter_invalid')
}

const isForm = (headers: Headers): boolean =>
  /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers.get('content-type') ?? '') &&
  !headers.has('content-encoding')
