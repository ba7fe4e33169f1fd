"""What providers may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    # -- nothing was sent
    "providers.no_key": N_(
        "No key is stored for {host}. Enter the one from the provider's console in the connection."
    ),
    "providers.bad_key": N_(
        "The key for {host} holds characters that no key has. Copy it again and enter it anew."
    ),
    "providers.bad_url": N_("{url} is not a web address. Correct it in the connection."),
    "providers.bad_proxy": N_(
        "{proxy} is not a proxy that can be used. Correct it in the connection."
    ),
    "providers.bad_text": N_(
        "The request holds characters that can't be sent. Edit the row and requeue it."
    ),
    "providers.bad_schema": N_(
        'The setting for answers in JSON is neither "object" nor a JSON schema. Correct it and '
        "requeue the row."
    ),
    "providers.reference_missing": N_(
        "The reference picture {file} can't be read ({why}). Nothing was paid. Put it back there "
        "and requeue the row."
    ),
    "providers.reference_changed": N_(
        "The reference picture {file} was changed after the import. Nothing was paid. Put the "
        "imported one back and requeue the row, or import the sheet again."
    ),
    "providers.reference_unfit": N_(
        "The reference picture {file} is not one that this model takes: {kinds}, at most "
        "{megabytes} MB. Nothing was paid."
    ),
    "providers.reference_unreachable": N_(
        "The reference picture could not be fetched from {host}. Nothing was paid. Open its "
        "address in a browser; if that works, requeue the row."
    ),
    "providers.upload_cut": N_(
        "The line to {host} broke while pictures were being sent. Nothing was paid."
    ),
    "providers.references_many": N_(
        "Reference pictures that this model takes a row: {limit} at most. Nothing was paid."
    ),
    "providers.references_none": N_(
        "This model takes no reference pictures. Nothing was paid. Choose another model in the "
        "connection, or import the sheet without them."
    ),
    "providers.dns": N_("{host} was not found. Check the network and the address."),
    "providers.connect_refused": N_(
        "Nothing answers at {host}. Check the network, and that the server is running."
    ),
    "providers.connect_timeout": N_("{host} could not be reached in {seconds} s."),
    "providers.tls": N_(
        "{host} could not prove its identity ({text}). Check the network and this computer's clock."
    ),
    "providers.tls_unknown": N_(
        "{host} shows a certificate of an authority that this computer does not know. Nothing was "
        "sent. In a company, ask your IT department to add its certificate to this computer's "
        "trusted ones; on Linux, SSL_CERT_FILE may name a file that holds it."
    ),
    "providers.tls_other_name": N_(
        "The server that answers at {host} has a certificate for another name. Nothing was sent. "
        "Check the address in the connection."
    ),
    "providers.tls_expired": N_(
        "The certificate of {host} has expired. Nothing was sent. Check this computer's date; if "
        "it is right, the server's owner must renew the certificate."
    ),
    "providers.tls_not_yet": N_(
        "The certificate of {host} is not valid yet. Nothing was sent. Check this computer's date."
    ),
    "providers.proxy": N_("{host} could not be reached through the proxy {proxy}."),
    "providers.proxy_login": N_(
        "The proxy wants a name and a password. Enter them in the connection's proxy address."
    ),
    # -- sent, and nobody can say what came of it
    "providers.read_timeout": N_("No answer came within {seconds} s. It may have been billed."),
    "providers.fell_silent": N_(
        "{host} stopped before the end of its answer: nothing came for {seconds} s. "
        "It was probably billed."
    ),
    "providers.dropped": N_(
        "The line to {host} broke after the request was sent. It may have been billed."
    ),
    "providers.gateway_timeout": N_(
        "{host} gave up waiting for the result (HTTP {status}). It may have been billed."
    ),
    "providers.late_gateway": N_(
        "After a long wait {host} answered with an error of its gateway (HTTP {status}). "
        "It may have been billed."
    ),
    "providers.broken_answer": N_("{host} broke off its answer. It may have been billed."),
    "providers.broken_answer_said": N_(
        "{host} broke off its answer: {text}. It may have been billed."
    ),
    "providers.cut_body": N_("The answer of {host} was cut short. It was probably billed."),
    "providers.unreadable": N_("The answer of {host} can't be read. It was probably billed."),
    "providers.not_a_picture": N_(
        "{host} sent something that is not a picture. It was probably billed."
    ),
    "providers.too_large": N_(
        "The answer is larger than {megabytes} MB and was not taken. It was probably billed."
    ),
    "providers.download_failed": N_(
        "The picture was made, but could not be fetched from {host} ({text}). Open the address in "
        "the attempt's details, save the picture and attach it."
    ),
    "providers.download_expired": N_(
        "The picture was made, but {host} no longer hands it out ({text}). Look for it in the "
        "provider's console and attach it."
    ),
    # -- asked, not bought
    "providers.asked_silent": N_(
        "{host} was asked how things stand and gave no answer. Asking costs nothing."
    ),
    "providers.asked_cut": N_(
        "{host} was asked how things stand, and its answer was cut short. Asking costs nothing."
    ),
    "providers.asked_unreadable": N_(
        "{host} was asked how things stand, and its answer can't be read. Asking costs nothing."
    ),
    # -- slow down, try again
    "providers.throttled": N_("{host} asks to slow down."),
    "providers.busy": N_("{host} is busy."),
    "providers.loading": N_("{host} is still loading its model."),
    "providers.too_big": N_("This row alone is larger than the account's limit. Shorten it."),
    "providers.server_error": N_("{host} had an error of its own (HTTP {status})."),
    # -- the row
    "providers.address_gone": N_("Row {row}: there is no picture at {url} (HTTP {status})."),
    "providers.address_no_host": N_("Row {row}: there is no host {host} for {url}."),
    "providers.address_barred": N_(
        "Row {row}: {url} is an address of this computer; put the file's path there instead."
    ),
    "providers.address_kind": N_(
        "Row {row}: what lies at {url} is {kind}; this model takes {kinds}."
    ),
    "providers.refused": N_("The provider refused this by its content rules."),
    "providers.refused_said": N_("The provider refused this by its content rules. It said: {text}"),
    "providers.empty": N_("Refused by the provider: it answered without a result."),
    "providers.words_only": N_("The model answered in words and made no picture."),
    "providers.words_only_said": N_(
        "The model answered in words and made no picture. It said: {text}"
    ),
    "providers.length_empty": N_(
        "The allowed length was used up before the answer began. Raise max_tokens and requeue."
    ),
    "providers.model_not_found": N_(
        "{host} has no model {model}. Correct the model in the connection."
    ),
    "providers.model_not_pulled": N_(
        'The model {model} is not on this server yet. Run "ollama pull {model}" there.'
    ),
    "providers.context_long": N_("The text is too long for {model}. Shorten it and requeue."),
    "providers.request_big": N_(
        "The request is larger than {host} takes. Show fewer or smaller pictures, or shorten the "
        "text, and requeue."
    ),
    "providers.invalid": N_("{host} can't work with this request (HTTP {status})."),
    "providers.invalid_said": N_("{host} can't work with this request: {text}"),
    "providers.comfy_unfit": N_("{host} can't run the workflow (HTTP {status})."),
    "providers.comfy_unfit_said": N_("{host} can't run the workflow: {text}"),
    "providers.comfy_node": N_("A node of the workflow failed."),
    "providers.comfy_node_said": N_("A node of the workflow failed: {text}"),
    "providers.comfy_memory": N_(
        "The server's memory was too small for this row. Ask for smaller pictures, or free some."
    ),
    # -- the account
    "providers.auth": N_("{host} refused the key. Enter a valid key in the connection."),
    "providers.forbidden": N_(
        "{host} doesn't allow this key to do that. Check its rights in the provider's console."
    ),
    "providers.forbidden_said": N_("{host} doesn't allow this key to do that: {text}"),
    "providers.not_enabled": N_(
        "The model {model} is not opened for this account. Open it in the provider's console."
    ),
    "providers.not_enabled_said": N_(
        "The model {model} is not opened for this account. Open it in the provider's console. "
        "It said: {text}"
    ),
    "providers.not_streamed": N_(
        "{host} streams answers of {model} only to verified organisations. Import the sheet with "
        '"Show answers as they come" set to false, or have the organisation verified in the '
        "provider's console."
    ),
    "providers.balance": N_("The account at {host} has no money left. Top it up, then try again."),
    "providers.quota": N_(
        "The account's quota at {host} is used up for now. It goes on when the quota is renewed."
    ),
    "providers.no_more_calls": N_(
        "{host} takes no more calls of this account, and says that trying again does not help. "
        "Look at the account there, then try again."
    ),
    "providers.moved": N_(
        "{host} points to another address (HTTP {status}). Correct the address in the connection."
    ),
    # -- adapters
    "providers.unknown_adapter": N_("There is no adapter {adapter}. Known: {known}."),
    "providers.broken_adapter": N_("The adapter {adapter} can't be loaded: {text}"),
}
