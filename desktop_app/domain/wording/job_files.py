"""What is said of files that describe a provider, kept apart so that wording is edited alone."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "job_files.host_answers": N_("{host} answers."),
    "job_files.key_unasked": N_("A key is there. Whether it is good was not asked."),
    "job_files.no_test": N_(
        "{file} names no call that costs nothing, so none was made. To have the key tested, give "
        "the file a part [test] with the path of such a call, like the account's page or a list "
        "of models."
    ),
    "job_files.mistake": N_("{file}, line {line}: {what}"),
    "job_files.syntax": N_("this can't be read as TOML ({text})."),
    "job_files.unknown_key": N_("{key} is not known here. Known: {known}."),
    "job_files.missing": N_("{key} is missing."),
    "job_files.wrong_type": N_("{key} must be {kind}."),
    "job_files.kind_text": N_("a text in quotes"),
    "job_files.kind_number": N_("a number"),
    "job_files.kind_whole": N_("a whole number"),
    "job_files.kind_flag": N_("true or false"),
    "job_files.kind_texts": N_("a list of texts"),
    "job_files.kind_wholes": N_("a list of whole numbers"),
    "job_files.kind_table": N_("a table"),
    "job_files.kind_tables": N_("a list of tables, each under double brackets"),
    "job_files.out_of_range": N_("{key} must lie between {least} and {most}."),
    "job_files.not_one_of": N_('{key} is "{value}"; it must be one of: {known}.'),
    "job_files.bad_path": N_(
        '{key} is no JMESPath expression: column {column}, at "{near}", can\'t be understood.'
    ),
    "job_files.path_ends": N_(
        "{key} is no JMESPath expression: something is missing at its end (column {column})."
    ),
    "job_files.bad_pattern": N_("{key} is no regular expression ({text})."),
    "job_files.bad_field": N_(
        '{key}: a brace in "{text}" belongs to no field. A brace that is meant is written twice.'
    ),
    "job_files.no_field": N_(
        "{key}: nothing fills {field}. Known here: {known}. A column can fill what is declared "
        "under params."
    ),
    "job_files.taken_name": N_("{key}: this name has a meaning of its own. Choose another."),
    "job_files.bad_name": N_("{key}: a name has letters, digits and _ only."),
    "job_files.not_json": N_(
        "{key}: {value} can't be sent as it is. Write it as a text, in quotes."
    ),
    "job_files.no_prompt": N_(
        "{prompt} is nowhere in submit.body, so that all rows would ask for the same."
    ),
    "job_files.no_id": N_(
        "{key} holds neither {id} nor anything that submit.keep kept, so that one job would be "
        "taken for another."
    ),
    "job_files.get_body": N_("{key} is not sent with GET: give the call the method POST."),
    "job_files.no_poll": N_(
        "{key} is for jobs, and there is no part [poll] that says how a job is asked for."
    ),
    "job_files.bad_host": N_(
        '{key}: "{value}" is no host. Write api.example.com, or *.example.com for all below it.'
    ),
    "job_files.foreign_host": N_(
        "{key}: {host} is not the provider's own host. The key goes there only if {host} is listed "
        "in provider.key_hosts."
    ),
    "job_files.bad_address": N_(
        '{key}: "{value}" is no address that can be called. It must begin with https://.'
    ),
    "job_files.not_a_path": N_('{key}: "{value}" must begin with a slash.'),
    "job_files.no_target": N_("{key} needs a path or a url."),
    "job_files.no_done": N_("no state means done, so that no job would ever end."),
    "job_files.one_result": N_(
        "exactly one of urls, base64 and text must say where the result is."
    ),
    "job_files.price_of_tokens": N_(
        "price.unit is {unit}: price.tokens must say where the answer tells them."
    ),
    "job_files.price_of_images": N_(
        'price.unit is image, which is for a provider with makes = "picture".'
    ),
    "job_files.bad_currency": N_(
        'price.currency is "{value}"; it must have three letters, such as CNY.'
    ),
    "job_files.text_result": N_('{key} is for a provider with makes = "text".'),
    "job_files.empty_rule": N_("this rule says neither codes nor statuses nor text."),
    "job_files.job_without_id": N_("a job that is asked for needs submit.job_id."),
    "job_files.bad_header": N_("{key} can't be a header."),
    "job_files.no_secret": N_("the signature {signature} needs {key}."),
    "job_files.time_not_signed": N_(
        "{key} must list {header}: a time that is not signed proves nothing."
    ),
    "job_files.reference_once": N_(
        "where references are declared, submit.body shows {field} once."
    ),
    # -- the file as a whole
    "job_files.unreadable": N_("{file} can't be read ({text})."),
    "job_files.too_large": N_("{file} is larger than {kilobytes} KB and was not read."),
    "job_files.not_utf8": N_("{file} is not written in UTF-8."),
    "job_files.taken": N_(
        "{file}: a built-in provider is called {name}. Give the file another name."
    ),
    "job_files.not_kept": N_("{file} could not be copied to {folder} ({text})."),
    "job_files.in_the_way": N_(
        "There is another {file} in {folder} already. Rename yours, or remove that one first."
    ),
    "job_files.none": N_(
        "The provider file {file} of this connection is not there. Put it into {folder}, or choose "
        "another provider in the connection."
    ),
    "job_files.faulty": N_(
        "The file of this provider has {n} mistakes. Nothing was sent. The first: {first}"
    ),
    "job_files.faulty_one": N_(
        "The file of this provider has one mistake, and nothing was sent. {first}"
    ),
    "job_files.good": N_("{file} is sound."),
    # -- what a provider that is described by a file says
    "job_files.failed": N_("{host} could not finish this job."),
    "job_files.failed_said": N_("{host} could not finish this job. It said: {text}"),
    "job_files.unknown_state": N_(
        '{host} says that the job is "{state}". {file} does not say what that means.'
    ),
    "job_files.no_state": N_("The answer of {host} does not say how the job stands."),
    "job_files.no_value": N_(
        "The address of this provider's calls needs a value for {field}. Nothing was sent. Set it "
        "in the connection and requeue the row, or map a column to it and import the sheet again."
    ),
    "job_files.no_address": N_("The answer of {host} gave no address to ask for the job."),
    "job_files.other_host": N_(
        "{host} handed out an address on {other}, which {file} does not name. The key was not "
        "sent there."
    ),
    "job_files.flagged": N_(
        "The provider made this and hid it by its content rules (blurred or black)."
    ),
    "job_files.gone": N_(
        "{host} has deleted the result of this job. Look for it in the provider's console and "
        "attach it."
    ),
}

LABELS = (
    N_("Aspect ratio"),
    N_("Output format"),
    N_("Seed"),
    N_("Size"),
    N_("Results per row"),
    N_("Width"),
    N_("Height"),
    N_("Negative prompt"),
    N_("Let the provider extend the prompt"),
    N_("Watermark"),
    N_("DashScope Qwen-Image (通义千问)"),
    N_("DashScope Wan (通义万相)"),
)
"""Of the providers and parameters in the files that come with the program."""
