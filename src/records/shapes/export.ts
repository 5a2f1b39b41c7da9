import { type } from 'arktype'
import { example } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { time } from '../../fields/wire.ts'

/** Where an export can be downloaded. */
export const exportDownloadShape = shape({
  name: 'ExportDownload',
  type: () => type({ url: 'string', expiresAt: time() }),
  example: {
    url: 'https://pay.lamps.shop/v1/exports/q3Rk-0VdS0aXJb5nTnqkqjHkqk0GLkE6bqzqY1fyQ2s',
    expiresAt: example.later,
  },
  inside: {
    url: 'Address of the file. It can be opened once, without an access token.',
    expiresAt: 'Time after which it cannot be opened any more. ISO 8601 in UTC, with milliseconds.',
  },
})
