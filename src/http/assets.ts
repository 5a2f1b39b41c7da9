import { refuse } from '../errors.ts'
import type { AssetFile } from '../pages/web.ts'
import { preferredEncoding } from './accept.ts'
import { assetDocs } from './docs/service.ts'
import { forAnybody, type Route } from './route.ts'

/**
 * The modules and style sheets of the pages. Only names of the build are served, from memory, without a rate limit: a name
 * contains the hash of its content, so browsers and proxies ask once.
 */
export const assetRoutes: readonly Route[] = [
  forAnybody('GET', {
    path: '/assets/:file',
    page: true,
    docs: assetDocs,
    handle: ({ web }, { params, headers }) => {
      const file = web.file(params.file)
      return file ? send(file, headers.get('accept-encoding')) : refuse('route_not_found')
    },
  }),
]

const send = (file: AssetFile, acceptEncoding: string | null) => {
  const encoding = preferredEncoding(acceptEncoding)
  return {
    status: 200,
    text: file[encoding],
    headers: {
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  }
}
