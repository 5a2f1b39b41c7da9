import { type Type, type } from 'arktype'
import type { SessionCaller } from '../../access/session-cache.ts'
import { refuse } from '../../errors.ts'
import { encodeId } from '../../ids.ts'
import { lazy } from '../../lazy.ts'
import { type ExportRequest, findExportTicket, hasExportSlot, insertExportTicket } from '../../queries/exports.ts'
import { accountActorOf } from '../account-actor.ts'
import type { Api } from '../api.ts'
import { EXPORT_RETRY_S } from '../export-runs.ts'
import { livemodeQuery } from '../list.ts'
import { dayOrTime } from '../moment.ts'
import {
  type Call,
  define,
  forCustomers,
  forMembers,
  type MemberCaller,
  type Parsed,
  type RequestOrigin,
  type Route,
} from '../route.ts'
import { hashTicket, newTicket } from '../ticket-access.ts'
import { repeatableIn, strict, validateQuery } from '../validate.ts'
import { type ExportQuery, exportAnswer } from './answer.ts'
import { createExportDocs, downloadExportDocs, exportDocsOf } from './docs.ts'
import { type ExportKind, type ExportName, exportKinds, exportNames } from './kinds.ts'
import { type ExportFormat, formats } from './lines.ts'
import { rangeOf } from './range.ts'

const range = { from: dayOrTime(), to: dayOrTime() } as const

const queryOf = (name: ExportName, format: ExportFormat) => {
  const kind: ExportKind = exportKinds[name]
  return kind
    .filters()
    .and(type('all' in kind ? {} : range))
    .and(type(format === 'csv' ? { 'bom?': "'true' | 'false'" } : {}))
    .and(livemodeQuery())
}

/** The type of the query for each kind and format. */
const queries = new Map(
  exportNames.flatMap(name => formats.map(format => [`${name}.${format}`, lazy(() => queryOf(name, format))] as const)),
)

const queryTypeOf = (name: ExportName, format: ExportFormat): (() => Type) =>
  queries.get(`${name}.${format}`) ?? refuse('route_not_found')

type ExportedCall = Call<string, undefined, ExportQuery> &
  RequestOrigin & { readonly session: SessionCaller; readonly member: MemberCaller }

const exportRoute = (kind: ExportName, format: ExportFormat): Route =>
  define(
    'GET',
    { by: 'member', role: 'developer' },
    {
      path: `/v1/merchants/:merchantId/exports/${kind}.${format}`,
      docs: exportDocsOf(kind, format),
      query: queryTypeOf(kind, format),
      handle: (api: Api, call: ExportedCall) => {
        const { member, query, headers, requestId, isHead } = call
        const by = accountActorOf(call)
        return exportAnswer(api, { kind, format, query, merchantId: member.merchantId, by, headers, requestId, isHead })
      },
    },
  )

/** The parameters of the query are fields of the body. Those of the kind are checked by the type of its query. */
const wantedExport = () =>
  type({
    kind: type.enumerated(...exportNames),
    format: type.enumerated(...formats),
    'from?': dayOrTime(),
    'to?': dayOrTime(),
    'bom?': 'boolean',
    '[string]': 'string | boolean | string[]',
  })

export const exportRoutes: readonly Route[] = [
  ...exportNames.flatMap(name => formats.map(format => exportRoute(name, format))),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/exports',
      docs: createExportDocs,
      query: livemodeQuery,
      body: wantedExport,
      handle: async ({ sql, random, settings }, { member: { merchantId }, session: { sessionId }, body, query }) => {
        const { kind, format } = body
        const sent = { ...parametersIn(body), livemode: String(query.livemode) }
        const { from, to } = parsedQuery(kind, format, sent)
        if (from !== undefined && to !== undefined) await rangeOf(sql, merchantId, { from, to })
        if (!(await hasExportSlot(sql, merchantId))) refuse('rate_limited', { retryAfter: EXPORT_RETRY_S })
        const ticket = newTicket(random)
        const hash = hashTicket(ticket)
        if (!hash) throw new Error('a new ticket has the wrong form')
        const request = { kind, format, query: sent }
        const expiresAt = await insertExportTicket(sql, { hash, merchantId, sessionId, request })
        return {
          status: 201,
          body: { url: `${settings.publicUrl}/v1/exports/${ticket}`, expiresAt: expiresAt.toISOString() },
        }
      },
    },
  ),

  forCustomers('GET', {
    path: '/v1/exports/:token',
    docs: downloadExportDocs,
    handle: async (api, { params, headers, requestId, isHead, address }) => {
      const ticket = hashTicket(params.token) ?? refuse('resource_not_found')
      const holder = (await findExportTicket(api.sql, ticket)) ?? refuse('resource_not_found')
      const { accountId, merchantId, request } = holder
      // As it was stored.
      const { kind, format, query: sent } = request as ExportRequest<ExportName, ExportFormat>
      const by = { accountId, actor: encodeId('usr', accountId), address }
      const query = parsedQuery(kind, format, sent)
      return exportAnswer(api, { kind, format, query, merchantId, by, headers, requestId, isHead, ticket })
    },
  }),
]

const parsedQuery = (kind: ExportName, format: ExportFormat, sent: Readonly<Record<string, string | string[]>>) =>
  validateQuery(strict(queryTypeOf(kind, format)()), sent) as ExportQuery

/** The parameters as in a query. False is a filter that is not set. */
const parametersIn = ({ kind, format, ...body }: Parsed<typeof wantedExport>): Record<string, string | string[]> => {
  // The mode is a parameter of the query, as for all creations.
  if ('livemode' in body) refuse('parameter_unknown', { param: 'livemode' })
  const repeatable = repeatableIn(queryTypeOf(kind, format)())
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      if (value === false || value === undefined) return []
      const text = value === true ? 'true' : value
      return [[name, repeatable.has(name) && !Array.isArray(text) ? [text] : text] as const]
    }),
  )
}
