-- What lists can be narrowed to. Without these a filter that little fits reads a merchant's whole history
-- before it has a page, and anybody with a key may ask for one a hundred times a second.

-- A merchant's records of one mode that have one thing in common, in eight bytes. Two such lists may share a key: whoever
-- asks by it compares what it was made of too.
create function list_key(merchant uuid, mode boolean, common text) returns bigint language sql immutable parallel safe
return uuid_hash_extended(merchant, hashtextextended(common, mode::integer));

-- GET /v1/events?type=. Every commit writes here, at as many places as there are types: with the columns themselves,
-- twice as wide and compared one by one, it cost more than the event and all its other indexes together.
create index events_by_type on events (list_key(merchant_id, livemode, type), seq);

-- GET /v1/payments?status=, ?paymentLinkId=, ?reference=, and what waits for a person.
create index payments_by_state on payments (merchant_id, livemode, state, seq);
create index payments_by_link on payments (merchant_id, livemode, payment_link_id, seq);
create index payments_by_reference on payments (merchant_id, livemode, reference, seq)
where reference is not null;
create index payments_with_attention on payments (merchant_id, livemode, seq) where attention;

-- GET /v1/refunds and /v1/disputes ?status=, ?paymentId=, and refunds that wait for a person.
create index refunds_by_state on refunds (merchant_id, livemode, state, seq);
create index refunds_by_payment on refunds (merchant_id, livemode, payment_id, seq);
create index refunds_with_attention on refunds (merchant_id, livemode, seq) where attention;
create index disputes_by_state on disputes (merchant_id, livemode, state, seq);
create index disputes_by_payment on disputes (merchant_id, livemode, payment_id, seq);
