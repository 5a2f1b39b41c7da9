import type { KeyCaller } from '../access/key-cache.ts'
import { decodeId } from '../ids.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { isGranted } from '../resources.ts'
import type { Api } from './api.ts'
import type { MemberCaller } from './route.ts'
import { pageUrl, type SecretPages, type WithPage } from './secret-pages.ts'

/** One of the two. */
export type UrlReader = { readonly key?: KeyCaller; readonly member?: MemberCaller }

/** Callers that can change a record can also see the address of its page. */
const maySeeUrl = ({ key, member }: UrlReader): boolean =>
  key ? isGranted(key.scopes, 'billing:write') : member !== undefined && member.role !== 'viewer'

/** The address of the page as the caller can see it. */
export const pageUrlFor = (api: Api, pages: SecretPages, reader: UrlReader) => {
  const isShown = maySeeUrl(reader)
  return (record: WithPage): string | null => (isShown ? pageUrl(api, pages, record) : null)
}

/** A response that was stored without the address of the page, with the present one. */
export const withPageUrl = async (
  api: Api,
  pages: SecretPages,
  { merchantId, livemode }: Omit<ListOwner, 'livemode'> & { readonly livemode: boolean | undefined },
  body: string,
): Promise<string> => {
  const record = JSON.parse(body) as { readonly id: string }
  const found = await pages.find(api.sql, { id: decodeId(pages.prefix, record.id) ?? '', merchantId, livemode })
  return found ? JSON.stringify({ ...record, url: pageUrl(api, pages, found) }) : body
}
