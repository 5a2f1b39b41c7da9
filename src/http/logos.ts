import { createHash } from 'node:crypto'
import { changeLogo } from '../commands/settings.ts'
import { refuse } from '../errors.ts'
import { findLogo } from '../queries/logos.ts'
import { settingsRecord } from '../records/settings.ts'
import { accountActorOf } from './account-actor.ts'
import { deleteLogoDocs, getLogoDocs, uploadLogoDocs } from './docs/merchant.ts'
import { type ImageType, imageExtensions, imageSizeOf } from './image-size.ts'
import { livemodeQuery } from './list.ts'
import { forAnybody, forMembers, forUploads, type Route, type Uploaded } from './route.ts'

const path = '/v1/merchants/:merchantId/settings/logo'

const MOST_BYTES = 256 * 1024
const MOST_PIXELS = 2_000

export const logoRoutes: readonly Route[] = [
  forUploads(
    { role: 'developer' },
    {
      path,
      docs: uploadLogoDocs,
      query: livemodeQuery,
      upload: { types: Object.keys(imageExtensions), mostBytes: MOST_BYTES },
      handle: async (api, call) => {
        const of = { merchantId: call.member.merchantId, livemode: call.query.livemode }
        const settings = await changeLogo(api, of, fileOf(call.body), accountActorOf(call))
        return { status: 200, body: settingsRecord.render(settings, api.settings) }
      },
    },
  ),

  forMembers(
    'DELETE',
    { role: 'developer' },
    {
      path,
      docs: deleteLogoDocs,
      handle: async (api, call) => {
        const of = { merchantId: call.member.merchantId, livemode: false }
        await changeLogo(api, of, undefined, accountActorOf(call))
        return { status: 204 }
      },
    },
  ),
]

/** The files, for the pages. A name contains the hash of its content, so browsers and proxies ask once. */
export const logoFileRoutes: readonly Route[] = [
  forAnybody('GET', {
    path: '/logos/:file',
    page: true,
    docs: getLogoDocs,
    handle: async ({ sql }, { params }) => {
      const type = typeOf(params.file)
      const bytes = type && (await findLogo(sql, params.file))
      if (!bytes) return refuse('resource_not_found')
      return {
        status: 200,
        text: bytes,
        headers: {
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          // The file was made by a stranger. Opened by itself, it must not act as a page of this server.
          'content-security-policy': "default-src 'none'; sandbox",
        },
      }
    },
  }),
]

const fileOf = ({ type, bytes }: Uploaded) => {
  const size = isImageType(type) ? imageSizeOf(bytes, type) : undefined
  if (!size || !isImageType(type))
    return refuse('parameter_invalid', { message: `The request body is not an image of the type ${type}.` })
  if (size.width > MOST_PIXELS || size.height > MOST_PIXELS)
    refuse('parameter_invalid', {
      message: `The image must not be larger than ${MOST_PIXELS} × ${MOST_PIXELS} pixels.`,
    })
  return { name: `${createHash('sha256').update(bytes).digest('hex')}.${imageExtensions[type]}`, bytes }
}

const isImageType = (type: string): type is ImageType => Object.hasOwn(imageExtensions, type)

/** The type of a file by its name; undefined for a name that no logo has. */
const typeOf = (file: string): string | undefined => {
  const extension = /^[0-9a-f]{64}\.(\w+)$/.exec(file)?.[1]
  return Object.entries(imageExtensions).find(([, each]) => each === extension)?.[0]
}
