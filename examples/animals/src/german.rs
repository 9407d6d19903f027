//! The German messages of problems and violations.

use restwright::language::Translation;

/// Returns the German translations of the framework's messages and of the pet problems.
pub(crate) fn german() -> Translation {
    let mut german = Translation::new("de");
    for (code, title) in TITLES {
        german = german.title(*code, *title);
    }
    for (key, detail) in DETAILS {
        german = german.detail(*key, *detail);
    }
    for (code, message) in MESSAGES {
        german = german.violation(*code, *message);
    }
    german
}

/// Titles by problem code.
const TITLES: &[(&str, &str)] = &[
    ("malformed_request", "Fehlerhafte Anfrage"),
    ("malformed_body", "Fehlerhafter Body"),
    ("incomplete_body", "Unvollständiger Body"),
    ("undecodable_body", "Fehlerhaft komprimierter Body"),
    ("invalid_idempotency_key", "Ungültiger Idempotenzschlüssel"),
    ("unauthenticated", "Anmeldung erforderlich"),
    ("forbidden", "Keine Berechtigung"),
    ("not_found", "Nicht gefunden"),
    ("method_not_allowed", "Methode nicht erlaubt"),
    ("not_acceptable", "Nicht annehmbar"),
    ("head_timeout", "Zeit überschritten"),
    ("body_timeout", "Zeit überschritten"),
    ("conflict", "Konflikt"),
    ("idempotency_in_progress", "Anfrage in Bearbeitung"),
    ("precondition_failed", "Vorbedingung nicht erfüllt"),
    ("body_too_large", "Body zu groß"),
    ("target_too_long", "URI zu lang"),
    ("unsupported_media_type", "Medientyp nicht unterstützt"),
    ("unsupported_coding", "Content-Encoding nicht unterstützt"),
    ("invalid_request", "Ungültige Anfrage"),
    ("idempotency_key_reused", "Idempotenzschlüssel schon verwendet"),
    ("idempotency_rights_changed", "Rechte seit der ersten Anfrage geändert"),
    ("precondition_required", "Vorbedingung erforderlich"),
    ("head_too_large", "Header zu groß"),
    ("rate_limited", "Zu viele Anfragen"),
    ("concurrency_limited", "Zu viele Anfragen zugleich"),
    ("internal_error", "Interner Fehler"),
    ("deadline_exceeded", "Frist überschritten"),
    ("overloaded", "Überlastet"),
    ("unavailable", "Dienst nicht verfügbar"),
    ("pet_not_found", "Tier nicht gefunden"),
];

/// Details by the framework's keys, or by the codes of the example's own problems.
const DETAILS: &[(&str, &str)] = &[
    ("malformed_request.path", "Der Pfad ist nach dem Dekodieren kein gültiges UTF-8."),
    ("malformed_request.query", "Die Query ist nach dem Dekodieren kein gültiges UTF-8."),
    ("malformed_request.header", "Der Header {header} ist kein gültiges UTF-8."),
    ("malformed_request.repeated", "Der Header `{header}` darf nur einmal vorkommen."),
    ("malformed_request.content_type", "Eine `QUERY` braucht einen Medientyp: `Content-Type: application/json`."),
    ("malformed_request.head", "Der Kopf ist keine gültige Anfrage nach HTTP/1.1 oder HTTP/1.0."),
    ("malformed_body.syntax", "Der Body ist kein JSON: Fehler in Zeile {line}, Spalte {column}."),
    ("incomplete_body.framing", "Der Body endete vor seiner angekündigten Länge, oder er ist falsch gerahmt."),
    ("undecodable_body.coding", "Der Body lässt sich nicht nach seinem `Content-Encoding` dekodieren."),
    (
        "invalid_idempotency_key.malformed",
        "Der Header `{header}` ist weder ein Token noch ein Text in Anführungszeichen.",
    ),
    (
        "invalid_idempotency_key.missing",
        "Der Header `{header}` fehlt: für jede neue Anfrage ein neuer Wert, etwa eine UUID.",
    ),
    ("invalid_idempotency_key.repeated", "Der Header `{header}` darf nur einmal vorkommen."),
    ("unauthenticated.required", "Zugangsdaten sind erforderlich; `WWW-Authenticate` nennt die Verfahren."),
    ("unauthenticated.incomplete", "Die Zugangsdaten sind nicht vollständig; `WWW-Authenticate` nennt die Verfahren."),
    ("unauthenticated.invalid", "Die Zugangsdaten sind nicht gültig."),
    ("forbidden.policy", "Das ist diesen Zugangsdaten nicht erlaubt."),
    ("forbidden.all_scopes", "Diese Scopes fehlen: {missing_scopes}."),
    ("forbidden.any_scope", "Einer dieser Scopes ist nötig: {missing_scopes}."),
    ("forbidden.all_permissions", "Diese Berechtigungen fehlen: {missing_permissions}."),
    ("forbidden.any_permission", "Eine dieser Berechtigungen ist nötig: {missing_permissions}."),
    ("forbidden.any_role", "Eine dieser Rollen ist nötig: {missing_roles}."),
    ("forbidden.include", "Sie dürfen `{include}` nicht lesen."),
    (
        "forbidden.no_scope_value",
        "Die Zugangsdaten haben keinen Wert für `{field}`, auf den diese Operation beschränkt ist.",
    ),
    ("forbidden.row_policy", "Sie dürfen dies lesen, aber weder ändern noch löschen."),
    ("forbidden.row_policy_result", "Sie dürfen nichts mit diesen Werten speichern."),
    ("not_found.path", "Unter diesem Pfad ist nichts."),
    ("not_found.entity", "Zu diesem Bezeichner gibt es nichts."),
    ("not_found.parent", "In `{parent}` gibt es nichts mit diesem Bezeichner."),
    ("method_not_allowed.path", "Dieser Pfad nimmt diese Methode nicht an; `Allow` nennt die möglichen."),
    ("not_acceptable.media_types", "`Accept` lässt die Medientypen der Antwort nicht zu: {media_types}."),
    ("not_acceptable.encoding", "Die Datei ist komprimiert, und `Accept-Encoding` lässt gzip nicht zu."),
    ("head_timeout.late", "Der Kopf der Anfrage kam nicht rechtzeitig."),
    ("body_timeout.late", "Der Body kam nicht rechtzeitig."),
    ("conflict.unique_together", "Diese Kombination aus {fields} ist vergeben; bitte einen der Werte ändern."),
    ("conflict.hidden", "Einer dieser Werte ist vergeben; bitte andere wählen."),
    ("conflict.unique", "Dieser Wert von `{field}` ist vergeben; bitte einen anderen wählen."),
    ("conflict.referenced", "`{referenced_by}` verweist darauf; bitte zuerst dort löschen oder ändern."),
    ("conflict.rule", "Eine Regel des Speichers verbietet, das zu löschen."),
    (
        "idempotency_in_progress.wait",
        "Eine Anfrage mit diesem `Idempotency-Key` wird noch bearbeitet; bitte noch einmal senden.",
    ),
    ("precondition_failed.batch", "`if_match` nennt nicht den jetzigen Stand; bitte neu laden."),
    ("precondition_failed.if_match", "`If-Match` nennt nicht den jetzigen Stand; bitte neu laden."),
    ("precondition_failed.if_none_match", "`If-None-Match` nennt den jetzigen Stand."),
    ("body_too_large.limit", "Der Body darf höchstens {limit} Bytes haben."),
    ("target_too_long.limit", "Pfad und Query sind zusammen zu lang."),
    ("unsupported_media_type.encoding", "Der Body muss unverändert gesendet werden, ohne `Content-Encoding`."),
    ("unsupported_coding.one", "Der Body darf ein Content-Encoding haben, und nur eines von diesen: {codings}."),
    ("unsupported_media_type.json", "Der Body muss JSON in UTF-8 sein, mit `Content-Type: application/json`."),
    ("unsupported_media_type.missing", "Der Body hat keinen Medientyp; nötig ist `Content-Type: application/json`."),
    (
        "unsupported_media_type.merge_patch",
        "Der Body muss ein JSON Merge Patch sein (RFC 7396), mit `Content-Type: application/merge-patch+json`.",
    ),
    ("invalid_request.all", "Zahl der Verstöße in der Anfrage: {violations}."),
    ("invalid_request.first", "Die Anfrage hat mehr als {violations} Verstöße; dies sind die ersten."),
    (
        "idempotency_key_reused.other_request",
        "Der Wert von `{header}` gehört zu einer Anfrage mit anderem Body oder anderer Query; eine neue Anfrage braucht einen neuen.",
    ),
    (
        "idempotency_rights_changed.replay",
        "Diese Anfrage wurde ausgeführt, als Sie andere Rechte hatten; eine neue Anfrage braucht einen neuen Schlüssel.",
    ),
    ("precondition_required.if_match", "Nötig ist `If-Match` mit dem `ETag` des Standes, der geändert werden soll."),
    ("head_too_large.limit", "Der Kopf der Anfrage ist zu groß oder hat zu viele Header."),
    ("rate_limited.wait", "Die Grenze `{limit}` lässt vorerst keine Anfragen mehr zu."),
    ("rate_limited.cost", "Diese Anfrage zählt {cost}, und die Grenze `{limit}` lässt höchstens {most} auf einmal zu."),
    ("concurrency_limited.places", "Die Grenze `{limit}` lässt {requests} Anfragen zugleich zu."),
    ("deadline_exceeded.handler", "Die Antwort dauerte länger als {milliseconds} ms."),
    ("deadline_exceeded.hook", "Die Operation dauerte zu lange; nichts wurde geändert."),
    ("overloaded.requests", "Der Server bearbeitet so viele Anfragen, wie er kann."),
    ("unavailable.not_ready", "Der Dienst ist nicht bereit."),
    ("unavailable.authentication", "Zugangsdaten können zurzeit nicht geprüft werden."),
    ("pet_not_found", "Es gibt kein Tier {id}."),
];

/// Messages by violation code.
const MESSAGES: &[(&str, &str)] = &[
    ("required", "fehlt"),
    ("type", "muss vom Typ {expected} sein, nicht {actual}"),
    ("null", "darf nicht null sein"),
    ("minimum", "muss mindestens {minimum} sein"),
    ("maximum", "darf höchstens {maximum} sein"),
    ("exclusive_minimum", "muss größer als {exclusive_minimum} sein"),
    ("exclusive_maximum", "muss kleiner als {exclusive_maximum} sein"),
    ("multiple_of", "muss ein Vielfaches von {multiple_of} sein"),
    ("non_zero", "darf nicht 0 sein"),
    ("min_length", "ist zu kurz; Zahl der Zeichen: mindestens {min_length}"),
    ("max_length", "ist zu lang; Zahl der Zeichen: höchstens {max_length}"),
    ("pattern", "muss dem Muster {pattern} entsprechen"),
    ("pattern", "entspricht nicht dem verlangten Muster"),
    ("format", "muss das Format {format} haben"),
    ("format", "hat nicht das verlangte Format"),
    ("enum", "muss einer dieser Werte sein: {allowed}"),
    ("const", "muss {const} sein"),
    ("min_items", "hat zu wenige Einträge; Zahl: mindestens {min_items}"),
    ("max_items", "hat zu viele Einträge; Zahl: höchstens {max_items}"),
    ("unique_items", "muss sich von allen anderen Einträgen unterscheiden und gleicht dem Eintrag {equals}"),
    ("min_properties", "hat zu wenige Eigenschaften; Zahl: mindestens {min_properties}"),
    ("max_properties", "hat zu viele Eigenschaften; Zahl: höchstens {max_properties}"),
    ("unknown_property", "ist hier nicht bekannt"),
    ("duplicate_property", "kommt mehr als einmal vor"),
    ("discriminator", "muss einer dieser Werte sein: {allowed}"),
    // The framework reports two such violations. Custom checks report the others.
    ("invalid", "darf das Zeichen {character} nicht enthalten"),
    ("invalid", "gehört als {header} zu einer anderen Anfrage"),
    ("unreadable", "kann nicht gelesen werden"),
    ("too_many_values", "darf nur einmal vorkommen"),
    ("unknown_filter", "filtert nach einem unbekannten Feld; möglich sind: {allowed}"),
    ("unknown_operator", "nimmt diesen Operator nicht an; möglich sind: {allowed}"),
    ("malformed_filter", "ist weder `filter[field]` noch `filter[field][operator]`"),
    ("duplicate_condition", "kommt mehr als einmal vor; `filter[field]` und `field` sind dieselbe Bedingung"),
    ("too_many_conditions", "ist eine Bedingung zu viel; möglich sind {maximum}"),
    ("filter_too_deep", "darf höchstens {maximum} Ebenen haben"),
    ("empty_list", "braucht mindestens einen Wert"),
    ("not_a_range", "muss aus zwei Werten bestehen, mit Komma getrennt oder einzeln angegeben"),
    ("unknown_sort_field", "kann nicht nach `{value}` sortieren; möglich sind: {allowed}"),
    ("duplicate_sort_field", "sortiert zweimal nach `{value}`"),
    ("cursor_invalid", "ist kein Cursor dieses Dienstes"),
    ("cursor_mismatch", "gehört zu einer anderen Liste: anderer Route, Ordnung oder anderem Filter"),
    ("cursor_expired", "ist abgelaufen; bitte von vorn beginnen"),
    ("conflict", "ist nicht mehr frei; bitte einen anderen Wert wählen"),
    ("missing_reference", "verweist auf etwas, das es nicht gibt"),
    ("rejected", "verstößt gegen eine Regel des Speichers"),
    ("read_only", "kann nicht geändert werden"),
];
