-- insert --
-- A question put to one person. The token itself is not here: only its hash is.
INSERT INTO semel_confirmations (org, id, token_hash, nonce, kid, question, plan, version, epoch, digest, person,
                                 conversation, expires_at, mac, created_at)
VALUES (:org, :id, :token_hash, :nonce, :kid, :question, :plan, :version, :epoch, :digest, :person,
        :conversation, :expires_at, :mac, :now)

-- by_token --
-- The question that a token answers, inside one organization.
SELECT * FROM semel_confirmations WHERE org = :org AND token_hash = :token_hash

-- live --
-- The question of a kind that stands for a plan, so that the same button can be shown again.
SELECT * FROM semel_confirmations
 WHERE org = :org AND plan = :plan AND question = :question AND used_at IS NULL AND revoked_at IS NULL
 ORDER BY version DESC, id DESC LIMIT 1

-- take --
-- One use: whoever changes this row first. Everything it is bound to is compared here once more. Which
-- press it was stands beside it, so that one whose COMMIT was lost can tell its own.
UPDATE semel_confirmations SET used_at = :now, press = :press
 WHERE org = :org AND id = :id AND plan = :plan AND question = :question AND person = :person
   AND conversation = :conversation AND version = :version AND epoch = :epoch AND used_at IS NULL AND revoked_at IS NULL AND expires_at > :now
RETURNING id

-- revoke --
-- No question of this plan can be answered any more.
UPDATE semel_confirmations SET revoked_at = :now
 WHERE org = :org AND plan = :plan AND used_at IS NULL AND revoked_at IS NULL
RETURNING id

-- of_plan --
-- Every question that was put about a plan, in order: who was asked, and when the yes came.
SELECT * FROM semel_confirmations WHERE org = :org AND plan = :plan ORDER BY created_at, id

-- page --
-- Questions in the order of their keys, for whoever has to come by every one; which of them stand.
SELECT org, id, plan, CASE WHEN used_at IS NULL AND revoked_at IS NULL THEN 1 ELSE 0 END AS stands
  FROM semel_confirmations
 WHERE (org, id) > (:after_org, :after_id) ORDER BY org, id LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END
