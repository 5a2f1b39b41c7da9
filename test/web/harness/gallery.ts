import { serve } from 'bun'
import { html } from '../../../src/pages/html.ts'
import { definePage } from '../../../src/pages/layout.ts'
import { buildForTest, testPath } from './built.ts'

export type Gallery = AsyncDisposable & { readonly url: string }

/** A page with all parts, built and served as the pages of the server are, with the same policy. */
export const openGallery = async (): Promise<Gallery> => {
  const web = await buildForTest('gallery/main.tsx', 'gallery/gallery.css')
  const kind = { script: testPath('gallery/main.tsx'), style: testPath('gallery/gallery.css') }
  const page = definePage(kind)(web, { title: 'Parts', lang: 'en', body: html`` })
  const server = serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/': () => new Response(page.text, { headers: page.headers }),
      '/assets/:file': ({ params }) => {
        const file = web.file(params.file)
        if (!file) return new Response(null, { status: 404 })
        return new Response(file.identity, { headers: { 'content-type': file.type } })
      },
    },
  })
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) }
}
