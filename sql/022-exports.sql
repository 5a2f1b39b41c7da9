-- Tickets for one download each: a browser cannot send an access token with the request of a download.
-- Unlogged: a ticket is valid for a minute, and a lost one is asked for again.
create unlogged table export_tickets (
  -- Of the ticket, which is not stored.
  hash bytea not null,
  merchant_id uuid not null,
  session_id uuid not null,
  -- The kind, the format and the query. Deleted with the ticket, because it can contain an e-mail address.
  request json not null,
  expires_at timestamptz not null default now() + interval '60 s',
  constraint export_tickets_pkey primary key (hash)
);
