import { Refusal } from '../errors.ts'
import { openBytesReader } from './body.ts'
import type { Upload, Uploaded } from './route.ts'

/** Reads the body as a file of one of these types. */
export const openUploadReader = ({ types, mostBytes }: Upload) =>
  openBytesReader(
    (bytes, headers): Uploaded => {
      const type = (headers.get('content-type') ?? '').trim().toLowerCase()
      if (!types.includes(type) || headers.has('content-encoding'))
        throw new Refusal('unsupported_media_type', { message: `The request body must be ${types.join(' or ')}.` })
      return { type, bytes: new Uint8Array(bytes) }
    },
    { mostBytes },
  )
