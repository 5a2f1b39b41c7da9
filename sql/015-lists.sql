-- What lists can be narrowed to. Without these a filter that little fits reads a merchant's whole history
-- before it has a page, and anybody with a key may ask for one a hundred times a second.

-- GET /v1/events?type=
create index events_by_type on events (merchant_id, livemode, type, era, xid, seq);

-- GET /v1/payments?status=, ?paymentLinkId=, ?reference=, and what waits for a person.
create index payments_by_state on payments (merchant_id, livemode, state, era, xid, seq);
create index payments_by_link on payments (merchant_id, livemode, payment_link_id, era, xid, seq);
create index payments_by_reference on payments (merchant_id, livemode, reference, era, xid, seq)
where reference is not null;
create index payments_with_attention on payments (merchant_id, livemode, era, xid, seq) where attention;
