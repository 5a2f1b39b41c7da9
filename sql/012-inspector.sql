-- Tickets for the WebSocket of the inspector: a browser cannot send an access token with the request that opens it.
-- Unlogged: a ticket is valid for a minute, and a lost one is asked for again.
create unlogged table inspector_tickets (
  -- Of the ticket, which is not stored.
  hash bytea not null,
  session_id uuid not null,
  expires_at timestamptz not null default now() + interval '60 s',
  constraint inspector_tickets_pkey primary key (hash)
);
