import type { Actor, Kind } from '../actors/kind.ts'

/** Publishes the record of an actor in the API version that the actor was created with. */
export const published =
  <C extends Published>(render: (actor: Actor<C>, type: string) => object): NonNullable<Kind<C>['publish']> =>
  (type, actor) => ({
    merchantId: actor.context.merchantId,
    livemode: actor.context.livemode,
    apiVersion: actor.context.apiVersion,
    object: render(actor, type),
  })

type Published = { readonly merchantId: string; readonly livemode: boolean; readonly apiVersion: string }
